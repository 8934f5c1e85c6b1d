import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { nameOfError } from '#shared/base/error-facts.ts';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { isLocked } from './object-errors.ts';
import { exportPath } from './object-paths.ts';
import { versionPages } from './version-pages.ts';

/** The kinds of objects that records name by a digest: long texts, and attachments. */
export type StoredKind = 'bodies' | 'evidence';

/** One version of an object that an export stored: the archive, or notes of a step. */
export interface ExportVersion {
  /** Id of the export. */
  id: string;
  key: string;
  version: string;
}

/**
 * The part of the evidence bucket that makes exports: the archive of an export as a multipart upload, objects with the
 * progress of its steps, and the objects that an archive takes over (rules/exports.md#steps).
 */
export class ExportFiles {
  readonly #s3: Pick<S3Client, 'send'>;
  readonly #bucket: string;

  constructor(s3: Pick<S3Client, 'send'>, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** Begins the upload of an archive. @returns the id of the upload */
  async begin(org: OrganizationId, id: Id): Promise<string> {
    const { UploadId } = await this.#s3.send(
      new CreateMultipartUploadCommand({ ...this.#archive(org, id), ContentType: 'application/x-tar' }),
    );
    if (UploadId === undefined) throw new Error('The bucket began an upload without an id');
    return UploadId;
  }

  /**
   * Uploads one part. A repeated part replaces the earlier one.
   * @param number from 1 to 10,000
   * @param bytes at least 5 MiB, except in the last part
   * @returns the entity tag, which {@link complete} needs
   */
  async putPart(
    org: OrganizationId,
    id: Id,
    { upload, number }: { upload: string; number: number },
    bytes: Uint8Array,
  ): Promise<string> {
    const { ETag } = await this.#s3.send(
      new UploadPartCommand({ ...this.#archive(org, id), UploadId: upload, PartNumber: number, Body: bytes }),
    );
    if (ETag === undefined) throw new Error('The bucket stored a part without an entity tag');
    return ETag;
  }

  /**
   * Joins the parts to the archive. If an earlier call has joined them already, changes nothing.
   * @param tags entity tags of all parts, in their order
   * @param size bytes of the archive
   * @throws Error if the bucket has other parts
   */
  async complete(org: OrganizationId, id: Id, upload: string, tags: readonly string[], size: number): Promise<void> {
    const parts = tags.map((ETag, i) => ({ ETag, PartNumber: i + 1 }));
    try {
      await this.#s3.send(
        new CompleteMultipartUploadCommand({
          ...this.#archive(org, id),
          UploadId: upload,
          MultipartUpload: { Parts: parts },
        }),
      );
    } catch (error) {
      // An upload that is complete has no id any more.
      if (nameOfError(error) !== 'NoSuchUpload') throw error;
      const { ContentLength } = await this.#s3.send(new HeadObjectCommand(this.#archive(org, id)));
      if (ContentLength !== size) throw error;
    }
  }

  /** Stores an object with the progress of an export beside its archive. */
  async putNote(org: OrganizationId, id: Id, name: string, bytes: Uint8Array): Promise<void> {
    await this.#s3.send(new PutObjectCommand({ ...this.#note(org, id, name), Body: bytes }));
  }

  async getNote(org: OrganizationId, id: Id, name: string): Promise<Buffer> {
    return this.#read(this.#note(org, id, name));
  }

  /**
   * Lists the digests of stored objects, ascending.
   * @param after the digest after which the list begins; null for the whole list
   */
  async list(kind: StoredKind, org: OrganizationId, after: string | null, limit: number): Promise<string[]> {
    const Prefix = `${kind}/${org}/`;
    const { Contents = [] } = await this.#s3.send(
      new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix,
        MaxKeys: limit,
        ...(after !== null && { StartAfter: Prefix + after }),
      }),
    );
    return Contents.map(({ Key = '' }) => Key.slice(Prefix.length));
  }

  /** Reads a stored object; texts are compressed with gzip. Returns null if it was erased. */
  async read(kind: StoredKind, org: OrganizationId, sha256: string): Promise<Buffer | null> {
    try {
      return await this.#read({ Bucket: this.#bucket, Key: `${kind}/${org}/${sha256}` });
    } catch (error) {
      if (nameOfError(error) === 'NoSuchKey') return null;
      throw error;
    }
  }

  /** Discards an upload with its parts. An upload that is complete or discarded stays as it is. */
  async discard(org: OrganizationId, id: Id, upload: string): Promise<void> {
    try {
      await this.#s3.send(new AbortMultipartUploadCommand({ ...this.#archive(org, id), UploadId: upload }));
    } catch (error) {
      if (nameOfError(error) !== 'NoSuchUpload') throw error;
    }
  }

  /** Lists everything that exports of an organization stored, in all versions. @param id of one export; null for all */
  async versions(org: OrganizationId, id: Id | null): Promise<ExportVersion[]> {
    const all = `exports/${org}/`;
    const found: ExportVersion[] = [];
    const pages = versionPages(this.#s3, this.#bucket, all + (id ?? ''));
    for await (const { Versions = [], DeleteMarkers = [] } of pages) {
      for (const { Key: key = '', VersionId: version = 'null' } of [...Versions, ...DeleteMarkers]) {
        const [owner = ''] = key.slice(all.length).split(/[./]/);
        found.push({ id: owner, key, version });
      }
    }
    return found;
  }

  /** Removes a version for good. A missing version counts as removed. @returns false if Object Lock keeps it */
  async remove({ key, version }: ExportVersion): Promise<boolean> {
    try {
      await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key, VersionId: version }));
      return true;
    } catch (error) {
      if (isLocked(error)) return false;
      throw error;
    }
  }

  async #read(object: { Bucket: string; Key: string }): Promise<Buffer> {
    const { Body } = await this.#s3.send(new GetObjectCommand(object));
    if (!Body) throw new Error('The bucket answered without a body');
    return Buffer.from(await Body.transformToByteArray());
  }

  #archive(org: OrganizationId, id: Id) {
    return { Bucket: this.#bucket, Key: exportPath(org, id) };
  }

  #note(org: OrganizationId, id: Id, name: string) {
    return { Bucket: this.#bucket, Key: `exports/${org}/${id}/${name}` };
  }
}
