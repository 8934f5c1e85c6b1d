import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, type Micros } from '#shared/base/time.ts';
import { usesOf } from '#shared/bodies/erasure.ts';
import { versionPages } from '#shared/bodies/version-pages.ts';
import type { Table } from '#shared/table/table.ts';
import type { Connection } from './stage.ts';

/** Where texts and attachments lie (rules/storage.md#prefixes). */
const PREFIXES = ['bodies', 'evidence'] as const;

/**
 * Removes the deletion markers that are newer than an instant and hide an object which a record of the restored table uses. An
 * erasure removes versions, so it leaves no marker that could be removed.
 *
 * @returns the keys of the objects that are there again
 */
export async function restoreObjects(
  { bucket: { s3, name: Bucket } }: Pick<Connection, 'bucket'>,
  table: Table,
  organizations: AsyncIterable<{ id: OrganizationId }>,
  since: Micros,
): Promise<string[]> {
  const restored: string[] = [];
  for await (const { id } of organizations) {
    for (const prefix of PREFIXES) {
      for await (const { DeleteMarkers = [] } of versionPages(s3, Bucket, `${prefix}/${id}/`)) {
        for (const { Key, VersionId, IsLatest, LastModified } of DeleteMarkers) {
          const isNewer = fromMillis(LastModified?.getTime() ?? 0) >= since;
          if (IsLatest !== true || !isNewer || Key === undefined) continue;
          const { isShared, users } = await usesOf(table, id, Key.slice(Key.lastIndexOf('/') + 1));
          if (!isShared && users.length === 0) continue;
          await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
          restored.push(Key);
        }
      }
    }
  }
  return restored;
}
