import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Id, OrganizationId } from '#shared/base/ids.ts';

/** What a stored object is, as the bucket itself says. */
export interface ObjectFacts {
  size: number;
  /** SHA-256 in hex, computed by the bucket when the object was written; null for objects without one. */
  sha256: string | null;
  version: string | null;
}

export interface PresignedPost {
  method: 'POST';
  url: string;
  fields: Record<string, string>;
}

/** How long an upload form may be used, in seconds. */
export const UPLOAD_SECONDS = 3600;
/** How long a download address may be used, in seconds (design §3, «Reading attachments»). */
export const DOWNLOAD_SECONDS = 300;

const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

const uploadPath = (org: OrganizationId, upload: Id) => `uploads/${org}/${upload}`;
const bodyPath = (org: OrganizationId, sha256: string) => `bodies/${org}/${sha256}`;
const evidencePath = (org: OrganizationId, sha256: string) => `evidence/${org}/${sha256}`;

/** The evidence bucket. Keys are made here alone, from ids and digests, never from what a caller typed. */
export class Objects {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** A form for one upload: it pins the key, the exact size in bytes and the checksum (design §3, «Presigned upload»). */
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

  /** What lies at an upload's place; null when nothing arrived. The bucket's own figures are the authority. */
  async headUpload(org: OrganizationId, upload: Id): Promise<ObjectFacts | null> {
    try {
      const head = await this.#s3.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: uploadPath(org, upload), ChecksumMode: 'ENABLED' }),
      );
      return {
        size: head.ContentLength ?? 0,
        sha256: head.ChecksumSHA256 ? toHex(head.ChecksumSHA256) : null,
        version: head.VersionId ?? null,
      };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Copies an upload to its place by content, where it stays. @returns the version of the copy, where there is one */
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

  /** Keeps a file that came inside a request at its place by content; keeping the same file twice is harmless. */
  async putFile(org: OrganizationId, sha256: string, bytes: Uint8Array): Promise<string | null> {
    const put = await this.#s3.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: evidencePath(org, sha256),
        Body: bytes,
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    return put.VersionId ?? null;
  }

  /**
   * Keeps a body too large for the table, compressed, under the digest of what it says.
   * Apart from files, which lie as they came: one digest never has two encodings at one place.
   */
  async putBody(org: OrganizationId, sha256: string, gzipped: Uint8Array): Promise<string | null> {
    const put = await this.#s3.send(
      new PutObjectCommand({
        Bucket: this.#bucket,
        Key: bodyPath(org, sha256),
        Body: gzipped,
        ContentEncoding: 'gzip',
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    return put.VersionId ?? null;
  }

  /** The compressed bytes of a body. */
  async getBody(org: OrganizationId, sha256: string, version: string | null): Promise<Buffer> {
    const { Body } = await this.#s3.send(
      new GetObjectCommand({
        Bucket: this.#bucket,
        Key: bodyPath(org, sha256),
        ...(version && { VersionId: version }),
      }),
    );
    if (!Body) throw new Error('The bucket answered without a body');
    return Buffer.from(await Body.transformToByteArray());
  }

  /** An address from which one file can be read for a few minutes, under its own name. */
  presignDownload(
    org: OrganizationId,
    sha256: string,
    version: string | null,
    filename: string,
    contentType: string,
  ): Promise<string> {
    return getSignedUrl(
      this.#s3,
      new GetObjectCommand({
        Bucket: this.#bucket,
        Key: evidencePath(org, sha256),
        ...(version && { VersionId: version }),
        ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
        ResponseContentType: contentType,
      }),
      { expiresIn: DOWNLOAD_SECONDS },
    );
  }
}

const isMissing = (error: unknown) => {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
};
