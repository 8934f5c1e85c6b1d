import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import type { Micros } from '#shared/base/time.ts';
import { digestKey, readBodyOnce, type StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { sequence } from '#shared/table/keys.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { readContentText, type SnapshotContent } from '../rules/content.ts';
import { SnapshotContentItem, SnapshotItem } from './environment-records.ts';
import { snapshotContentKey, snapshotKey, snapshotPartition, snapshotTimeKey } from './keys.ts';

/** A snapshot's summary with its number, 1, 2, 3 … */
export type Snapshot = SnapshotItem & { index: number };

const PREFIX = 'S#';

/** A summary from its item. */
export function readSnapshotItem(item: Item): Snapshot {
  const snapshot = SnapshotItem.parse(item);
  return { ...snapshot, index: Number(snapshot.sk.slice(PREFIX.length)) };
}

/** The summary of one snapshot; null where there is none with this number. */
export async function readSnapshot(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<Snapshot | null> {
  if (index < 1) return null;
  const item = await table.get(snapshotKey(org, environment, index));
  return item ? readSnapshotItem(item) : null;
}

/** Summaries from one number to another, both included, ascending; those that are not there are left out. */
export async function readSnapshotRange(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  range: { from: number; to: number },
): Promise<Snapshot[]> {
  const { from, to } = { from: Math.max(1, range.from), to: range.to };
  if (from > to) return [];
  const pk = snapshotPartition(org, environment);
  const items = await table.query({ pk, from: PREFIX + sequence(from), to: PREFIX + sequence(to) });
  return items.map(readSnapshotItem);
}

export interface SnapshotPlace {
  environment: EnvironmentId;
  index: number;
}

/** Summaries of any environments, in the order asked; null where there is none with this number. One batch. */
export async function readSnapshots(
  table: Table,
  org: OrganizationId,
  places: readonly SnapshotPlace[],
): Promise<(Snapshot | null)[]> {
  const keys = places.map(({ environment, index }) => snapshotKey(org, environment, index));
  const found = await table.getMany(keys);
  return keys.map((key) => {
    const item = found.get(keyText(key));
    return item ? readSnapshotItem(item) : null;
  });
}

/** The number of the newest snapshot made at an instant or before it; 0 where there was none yet. */
export async function indexAt(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  at: Micros,
): Promise<number> {
  const { pk, sk: to } = snapshotTimeKey(org, environment, at);
  const [item] = await table.query({ pk, from: 'T#', to, newestFirst: true, limit: 1 });
  return item ? Number(item['index']) : 0;
}

/** Where the content of a snapshot lies; null where there is no snapshot with this number. */
export async function readContentBody(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<StoredBody | null> {
  if (index < 1) return null;
  const item = await table.get(snapshotContentKey(org, environment, index));
  return item ? SnapshotContentItem.parse(item).body : null;
}

/** Snapshots are read by whoever looks at them, and once more by the next report that changes something. */
const remembered = memoryOf<SnapshotContent>('snapshot content');

/** What was just stored need not be read again by whoever comes next. */
export const rememberContent = (org: OrganizationId, { digest, size }: StoredBody, content: SnapshotContent): void =>
  remembered.set(digestKey(org, digest), content, size);

/** What a body found by {@link readContentBody} says, nobody's to change; null where it was erased. */
export const openContent = (objects: Objects, org: OrganizationId, body: StoredBody): Promise<SnapshotContent | null> =>
  readBodyOnce(remembered, objects, org, body, readContentText);

/**
 * What ran in a snapshot, and how it was judged: its item, then the bucket where it is long.
 * @returns null where there is no snapshot with this number, or its content was erased
 */
export async function readContent(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<SnapshotContent | null> {
  const body = await readContentBody(table, org, environment, index);
  return body && openContent(objects, org, body);
}

/** Contents of any snapshots, in the order asked, null as {@link readContent} has it: one batch, then the bucket at once. */
export async function readContents(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  places: readonly SnapshotPlace[],
): Promise<(SnapshotContent | null)[]> {
  const keys = places.map(({ environment, index }) => snapshotContentKey(org, environment, index));
  const found = await table.getMany(keys);
  return Promise.all(
    keys.map(async (key) => {
      const item = found.get(keyText(key));
      return item ? openContent(objects, org, SnapshotContentItem.parse(item).body) : null;
    }),
  );
}
