/**
 * Turns the emulator's list of objects into a list of versions. The emulator keeps no versions: each object has one, with the
 * id `null`, as S3 answers for a bucket without versioning (rules/storage.md#s3-and-sqs-emulator).
 *
 * @param objects the emulator's answer to ListObjectsV2
 */
export const versionList = (objects: string): string =>
  objects
    .replaceAll('ListBucketResult', 'ListVersionsResult')
    .replaceAll('<Contents>', '<Version><VersionId>null</VersionId><IsLatest>true</IsLatest>')
    .replaceAll('</Contents>', '</Version>')
    .replace(
      /<NextContinuationToken>(.*)<\/NextContinuationToken>/,
      // The emulator's token is the last key in base64.
      (_, token: string) => `<NextKeyMarker>${Buffer.from(token, 'base64')}</NextKeyMarker>`,
    );
