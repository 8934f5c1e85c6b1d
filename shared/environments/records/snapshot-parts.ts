import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import type { EnvironmentHead } from './environment-records.ts';
import { snapshotContentKey, snapshotKey, snapshotPartition } from './keys.ts';
import { indexAt, readSnapshotItem, type SealedContent, type Snapshot, sealedContent } from './snapshots.ts';

export interface SnapshotParts {
  summary: Snapshot;
  /** Time of the next snapshot; null for the newest. */
  next: Micros | null;
  content: SealedContent;
}

/** Reads the parts of one snapshot in one call; null if no snapshot has this number. */
export async function readParts(table: Table, org: OrganizationId, environment: EnvironmentId, index: number) {
  if (index < 1) return null;
  const keys = [
    snapshotKey(org, environment, index),
    snapshotKey(org, environment, index + 1),
    snapshotContentKey(org, environment, index),
  ];
  const found = await table.getMany(keys);
  const [summary, next, content] = keys.map((key) => found.get(keyText(key)));
  const sealed = sealedContent(environment, summary, content);
  if (!summary || !sealed) return null;
  return { summary: readSnapshotItem(summary), next: next ? readSnapshotItem(next).at : null, content: sealed };
}

/**
 * Reads the parts of the newest snapshot without knowing its number. Returns null if there is none, and if another
 * snapshot was stored between the two Queries. In the second case the caller has to use {@link readParts}.
 */
export async function readNewestParts(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
): Promise<SnapshotParts | null> {
  const pk = snapshotPartition(org, environment);
  const [[item], [content]] = await Promise.all([
    table.query({ pk, prefix: 'S#', newestFirst: true, limit: 1 }),
    table.query({ pk, prefix: 'C#', newestFirst: true, limit: 1 }),
  ]);
  if (!item || !content) return null;
  const summary = readSnapshotItem(item);
  if (content.sk !== snapshotContentKey(org, environment, summary.index).sk) return null;
  const sealed = sealedContent(environment, item, content);
  return sealed && { summary, next: null, content: sealed };
}

/**
 * The history of an environment up to the newest snapshot of the given head. Later snapshots are ignored. The head has
 * the time of the newest snapshot, so an instant after it needs no read.
 */
export const historyOf = (table: Table, org: OrganizationId, { id, index: count, at: newest }: EnvironmentHead) => ({
  count,
  indexAt: async (at: Micros): Promise<number> =>
    at >= newest ? count : Math.min(count, await indexAt(table, org, id, at)),
});
