import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { nameOfError } from '#shared/base/error-facts.ts';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { fromMillis, type Micros } from '#shared/base/time.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import { isLocked, isMissing, ObjectDiffers } from './object-errors.ts';
import { bodyPath, evidencePath, exportPath, logPath, pathOf, uploadPath } from './object-paths.ts';
import { versionPages } from './version-pages.ts';

/** A stored object as the bucket describes it. */
interface ObjectFacts {
  size: number;
  /** SHA-256 in hex that the bucket computed when the object was written; null if it has none. */
  sha256: string | null;
  version: string | null;
}

/** One version of an object, and when it was stored, in microseconds. */
interface ObjectVersion {
  version: string;
  at: Micros;
}

interface PresignedPost {
  method: 'POST';
  url: string;
  fields: Record<string, string>;
}

/** How long an upload form is valid, in seconds. */
export const UPLOAD_SECONDS = 3600;
/** How long a download address is valid, in seconds (rules/attestations.md#read-attachments). */
export const DOWNLOAD_SECONDS = 300;
/** How long the address of an export is valid, in seconds (rules/exports.md#download). */
const EXPORT_DOWNLOAD_SECONDS = 3600;

/** What the bucket answers for a signed address is stored by no browser (rules/requests.md#caching). */
const NOT_STORED = 'no-store';

const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

const nullIfMissing = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/**
 * The evidence bucket. Its keys are made here from ids and digests, never from text of a caller
 * (rules/storage.md#bucket).
 */
export class Objects {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /**
   * Creates the form of one upload. It fixes the key, the exact size in bytes and the checksum
   * (rules/attestations.md#presigned-upload).
   */
  async presignUpload(
    org: OrganizationId,
    upload: Id,
    file: { size: number; sha256: string; contentType: string },
  ): Promise<PresignedPost> {
    const checksum = toBase64(file.sha256);
    const { url, fields } = await createPresignedPost(this.#s3, {
      Bucket: this.#bucket,
      Key: uploadPath(org, upload),
      Expires: UPLOAD_SECONDS,
      Fields: {
        'Content-Type': file.contentType,
        'x-amz-checksum-algorithm': 'SHA256',
        'x-amz-checksum-sha256': checksum,
      },
      Conditions: [
        ['content-length-range', file.size, file.size],
        { 'x-amz-checksum-algorithm': 'SHA256' },
        { 'x-amz-checksum-sha256': checksum },
        { 'Content-Type': file.contentType },
      ],
    });
    return { method: 'POST', url, fields };
  }

  /** Returns the uploaded object; null if nothing was uploaded. Size and checksum come from the bucket. */
  async headUpload(org: OrganizationId, upload: Id): Promise<ObjectFacts | null> {
    const head = await nullIfMissing(
      this.#s3.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: uploadPath(org, upload), ChecksumMode: 'ENABLED' }),
      ),
    );
    return (
      head && {
        size: head.ContentLength ?? 0,
        sha256: head.ChecksumSHA256 ? toHex(head.ChecksumSHA256) : null,
        version: head.VersionId ?? null,
      }
    );
  }

  /** Reads a whole upload. */
  getUpload(org: OrganizationId, upload: Id, version: string | null): Promise<Buffer> {
    return this.#get({ Key: uploadPath(org, upload), ...(version && { VersionId: version }) });
  }

  /**
   * Copies an upload to its final key, which is made from its digest. @returns the version of the copy, if there is one
   */
  async keepUpload(org: OrganizationId, upload: Id, sha256: string, version: string | null): Promise<string | null> {
    const source = `${this.#bucket}/${uploadPath(org, upload)}${version ? `?versionId=${encodeURIComponent(version)}` : ''}`;
    const copy = await this.#s3.send(
      new CopyObjectCommand({
        Bucket: this.#bucket,
        Key: evidencePath(org, sha256),
        CopySource: source,
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    return copy.VersionId ?? null;
  }

  /** Stores a file of a request under a key made from its digest. Storing the same file twice is harmless. */
  async putFile(org: OrganizationId, sha256: string, bytes: Uint8Array): Promise<string | null> {
    return this.#put({ Key: evidencePath(org, sha256), Body: bytes });
  }

  /**
   * Stores a large body, compressed, under the digest of its text. Files have another prefix, because they are stored
   * without compression: a key never has two encodings.
   */
  async putBody(org: OrganizationId, sha256: string, gzipped: Uint8Array): Promise<string | null> {
    return this.#put({ Key: bodyPath(org, sha256), Body: gzipped, ContentEncoding: 'gzip' });
  }

  /** Reads a whole attachment. */
  getFile(org: OrganizationId, sha256: string, version: string | null): Promise<Buffer> {
    return this.#get({ Key: evidencePath(org, sha256), ...(version && { VersionId: version }) });
  }

  /**
   * Reads an attachment, or only its first bytes.
   * @param first how many bytes; by default all
   * @returns null if the bucket has no such file
   */
  findFile(org: OrganizationId, sha256: string, version: string | null, first?: number): Promise<Buffer | null> {
    const Key = evidencePath(org, sha256);
    const part = { ...(version && { VersionId: version }), ...(first && { Range: `bytes=0-${first - 1}` }) };
    return nullIfMissing(this.#get({ Key, ...part }));
  }

  /** Reads the compressed bytes of a body. */
  async getBody(org: OrganizationId, sha256: string, version: string | null): Promise<Buffer> {
    return this.#get({ Key: bodyPath(org, sha256), ...(version && { VersionId: version }) });
  }

  /** Lists all versions of an object, the newest first. Only the operator's function has this right. */
  async versions(prefix: 'bodies' | 'evidence', org: OrganizationId, sha256: string): Promise<ObjectVersion[]> {
    const key = pathOf(prefix, org, sha256);
    const found: ObjectVersion[] = [];
    for await (const { Versions = [] } of versionPages(this.#s3, this.#bucket, key)) {
      for (const { Key, VersionId, LastModified } of Versions) {
        if (Key === key) found.push({ version: VersionId ?? 'null', at: fromMillis(LastModified?.getTime() ?? 0) });
      }
    }
    return found;
  }

  /**
   * Removes one version of an object for good. A version that is missing counts as removed.
   *
   * @returns false if Object Lock keeps the version
   */
  async removeVersion(
    prefix: 'bodies' | 'evidence',
    org: OrganizationId,
    sha256: string,
    version: string,
  ): Promise<boolean> {
    try {
      await this.#s3.send(
        new DeleteObjectCommand({ Bucket: this.#bucket, Key: pathOf(prefix, org, sha256), VersionId: version }),
      );
      return true;
    } catch (error) {
      if (isLocked(error)) return false;
      throw error;
    }
  }

  /**
   * Stores an object of the log under a name that has the same bytes for ever (rules/log.md#full-tiles).
   * @param name path below the log of the organization, made from numbers
   * @throws ObjectDiffers if the bucket has other bytes under this name
   */
  async putLogObject(org: OrganizationId, name: string, bytes: Uint8Array): Promise<void> {
    const Key = logPath(org, name);
    const outcome = await retrying(async () => {
      try {
        await this.#put({ Key, Body: bytes, ContentType: 'application/octet-stream', IfNoneMatch: '*' });
        return 'stored';
      } catch (error) {
        const reason = nameOfError(error);
        if (reason === 'PreconditionFailed') return 'present';
        // Another writer stores an object under this name at this moment.
        if (reason === 'ConditionalRequestConflict') return 'again';
        throw error;
      }
    });
    if (outcome === 'stored') return;
    const present = await this.getLogObject(org, name);
    if (!present?.equals(bytes)) throw new ObjectDiffers(Key);
  }

  /** Reads an object of the log; null if there is none. */
  async getLogObject(org: OrganizationId, name: string): Promise<Buffer | null> {
    return nullIfMissing(this.#get({ Key: logPath(org, name) }));
  }

  /**
   * Lists objects of the log in the order of their names.
   * @param after the listing begins behind this name
   * @returns their names, at most as many as asked for
   */
  async listLogObjects(org: OrganizationId, prefix: string, after: string, limit: number): Promise<string[]> {
    const { Contents = [] } = await this.#s3.send(
      new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: logPath(org, prefix),
        StartAfter: logPath(org, after),
        MaxKeys: limit,
      }),
    );
    return Contents.map(({ Key = '' }) => Key.slice(logPath(org, '').length));
  }

  /** Stores an object, with its checksum. @returns its version, if the bucket has versions */
  async #put(object: Omit<PutObjectCommandInput, 'Bucket' | 'ChecksumAlgorithm'>): Promise<string | null> {
    const { VersionId } = await this.#s3.send(
      new PutObjectCommand({ Bucket: this.#bucket, ChecksumAlgorithm: 'SHA256', ...object }),
    );
    return VersionId ?? null;
  }

  /** Reads the bytes of an object. */
  async #get(object: { Key: string; VersionId?: string; Range?: string }): Promise<Buffer> {
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, ...object }));
    if (!Body) throw new Error('The bucket answered without a body');
    return Buffer.from(await Body.transformToByteArray());
  }

  /** Returns an address that serves one file under its own name for a few minutes. */
  presignDownload(
    org: OrganizationId,
    sha256: string,
    version: string | null,
    filename: string,
    contentType: string,
  ): Promise<string> {
    const object = {
      Key: evidencePath(org, sha256),
      ...(version && { VersionId: version }),
      ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeText(filename)}`,
      ResponseContentType: contentType,
    };
    return this.#presign(object, DOWNLOAD_SECONDS);
  }

  /** Returns an address that serves the archive of an export, also in ranges, for an hour. */
  presignExport(org: OrganizationId, id: Id, filename: string): Promise<string> {
    const object = { Key: exportPath(org, id), ResponseContentDisposition: `attachment; filename="${filename}"` };
    return this.#presign(object, EXPORT_DOWNLOAD_SECONDS);
  }

  #presign(object: Omit<GetObjectCommandInput, 'Bucket'>, expiresIn: number): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, ResponseCacheControl: NOT_STORED, ...object });
    return getSignedUrl(this.#s3, command, { expiresIn });
  }
}
