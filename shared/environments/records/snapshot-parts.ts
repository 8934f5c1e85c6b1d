import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import type { Table } from '#shared/table/table.ts';
import { type EnvironmentHead, SnapshotContentItem } from './environment-records.ts';
import { snapshotContentKey, snapshotPartition } from './keys.ts';
import { indexAt, readContentBody, readSnapshotItem, readSnapshotRange, type Snapshot } from './snapshots.ts';

/** The stored parts of one snapshot. */
export interface SnapshotParts {
  summary: Snapshot;
  /** Time of the next snapshot; null for the newest. */
  next: Micros | null;
  content: StoredBody;
}

/** Reads the parts of one snapshot in one round trip; null if no snapshot has this number. */
export async function readParts(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<SnapshotParts | null> {
  const [[summary, next], content] = await Promise.all([
    readSnapshotRange(table, org, environment, { from: index, to: index + 1 }),
    readContentBody(table, org, environment, index),
  ]);
  return summary?.index === index && content ? { summary, next: next?.at ?? null, content } : null;
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
  return { summary, next: null, content: SnapshotContentItem.parse(content).body };
}

/** The history of an environment up to the newest snapshot of the given head. Later snapshots are ignored. */
export const historyOf = (table: Table, org: OrganizationId, { id, index: count }: EnvironmentHead) => ({
  count,
  indexAt: async (at: Micros): Promise<number> => Math.min(count, await indexAt(table, org, id, at)),
});
