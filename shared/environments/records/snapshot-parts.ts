import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import type { Table } from '#shared/table/table.ts';
import { type EnvironmentHead, SnapshotContentItem } from './environment-records.ts';
import { snapshotContentKey, snapshotPartition } from './keys.ts';
import { indexAt, readContentBody, readSnapshotItem, readSnapshotRange, type Snapshot } from './snapshots.ts';

/** All that is stored of one snapshot, and when the next one was made; null for the newest. */
export interface SnapshotParts {
  summary: Snapshot;
  next: Micros | null;
  content: StoredBody;
}

/** The parts of one snapshot, in one trip; null where there is none with this number. */
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
 * The parts of the newest snapshot, before its number is known; null where there is none, or another was stored between
 * the two Queries: {@link readParts} has the answer then.
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

/** The history of an environment as its head had it: what came after that is left for the next reader. */
export const historyOf = (table: Table, org: OrganizationId, { id, index: count }: EnvironmentHead) => ({
  count,
  indexAt: async (at: Micros): Promise<number> => Math.min(count, await indexAt(table, org, id, at)),
});
