import { xml } from './s3-failure.ts';

/** What the emulator says about an object: the headers of its answer to HEAD; null if there is no such object. */
export interface ObjectHead {
  etag?: string | undefined;
  'last-modified'?: string | undefined;
  'content-length'?: string | undefined;
}

/**
 * Returns the list of an object's versions, which the emulator does not keep: one version with the id `null`, as S3
 * answers for a bucket without versioning (rules/storage.md#s3-and-sqs-emulator).
 */
export function versionList(bucket: string, key: string, head: ObjectHead | null): string {
  const version = head && {
    Key: key,
    VersionId: 'null',
    IsLatest: true,
    LastModified: new Date(head['last-modified'] ?? 0).toISOString(),
    ETag: head.etag ?? '',
    Size: Number(head['content-length'] ?? 0),
    StorageClass: 'STANDARD',
  };
  return xml('ListVersionsResult', {
    Name: bucket,
    Prefix: key,
    MaxKeys: 1000,
    IsTruncated: false,
    ...(version && { Version: version }),
  });
}
