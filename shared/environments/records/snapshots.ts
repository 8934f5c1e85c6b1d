import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { type ChainedRecord, requireSuccessive } from '#shared/base/record-gone.ts';
import type { Micros } from '#shared/base/time.ts';
import { digestKey, readBodyOnce, type StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { sequence } from '#shared/table/keys.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import type { SnapshotContent } from '../rules/content.ts';
import { readContentText } from '../rules/content-text.ts';
import { SnapshotContentItem, SnapshotItem } from './environment-records.ts';
import { snapshotContentKey, snapshotKey, snapshotPartition, snapshotTimeKey } from './keys.ts';

/** A snapshot's summary with its number, 1, 2, 3 … */
export type Snapshot = SnapshotItem & { index: number };

const PREFIX = 'S#';

/** Parses the item of a summary. */
export function readSnapshotItem(item: Item): Snapshot {
  const snapshot = SnapshotItem.parse(item);
  return { ...snapshot, index: Number(snapshot.sk.slice(PREFIX.length)) };
}

/** Reads the summary of one snapshot; null if no snapshot has this number. */
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

/** Names a snapshot by what its entry in the log has. */
export const snapshotOf = (environment: EnvironmentId, number: number): ChainedRecord => ({
  kind: 'environment',
  environment,
  number,
});

/**
 * Reads the summaries of a range of numbers, both ends included, ascending.
 *
 * @throws RecordGone for the first that is missing
 */
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
  const snapshots = items.map(readSnapshotItem);
  const numbers = snapshots.map(({ index }) => index);
  requireSuccessive(numbers, { from, to }, (number) => snapshotOf(environment, number));
  return snapshots;
}

export interface SnapshotPlace {
  environment: EnvironmentId;
  index: number;
}

/** Reads summaries of several environments in one batch, in the order of `places`; null for missing ones. */
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

/** Reads the number of the newest snapshot made at or before an instant; 0 if there was none yet. */
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

/** Reads where the content of a snapshot is stored; null if no snapshot has this number. */
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

/** Contents in memory. Readers ask for the same snapshots again, and so does the next report that changes something. */
const remembered = memoryOf<SnapshotContent>('snapshot content');

/** Keeps a content that was just stored in memory. */
export const rememberContent = (org: OrganizationId, { digest, size }: StoredBody, content: SnapshotContent): void =>
  remembered.set(digestKey(org, digest), content, size);

/**
 * Reads the content of a snapshot from its body; null if it was erased. Callers share the object and must not change it.
 */
export const openContent = (objects: Objects, org: OrganizationId, body: StoredBody): Promise<SnapshotContent | null> =>
  readBodyOnce(remembered, objects, org, body, readContentText);

/**
 * Reads the content of a snapshot: its item, then the bucket if the content is too large for the table.
 * @returns null if no snapshot has this number, or if its content was erased
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

/**
 * Reads the contents of several snapshots, in the order of `places`: all items in one batch, then all reads of the
 * bucket in parallel. Null as in {@link readContent}.
 */
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
