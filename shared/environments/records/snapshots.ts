import { commitment } from '#shared/base/digests.ts';
import { type EnvironmentId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { type ChainedRecord, requireSuccessive } from '#shared/base/proofs/record-gone.ts';
import type { Micros } from '#shared/base/time.ts';
import { digestKey, type PreparedBody, readBody, type StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { requestOf } from '#shared/table/items.ts';
import { sequence } from '#shared/table/keys.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import type { SnapshotContent } from '../rules/content.ts';
import { readContentText } from '../rules/content-text.ts';
import { requireSnapshot } from './chain.ts';
import { type EnvironmentHead, SnapshotContentItem, SnapshotItem } from './environment-records.ts';
import { readSubjectPartition, snapshotContentKey, snapshotKey, snapshotPartition, snapshotTimeKey } from './keys.ts';

/** A snapshot's summary with its number, 1, 2, 3 … `request` names the request that wrote it. */
export type Snapshot = SnapshotItem & { index: number; request?: string | undefined };

const PREFIX = 'S#';

/** Reads the item of a summary, without a comparison. @throws ZodError if it does not fit its schema */
export function storedSnapshot(item: Item): Snapshot {
  const snapshot = SnapshotItem.parse(item);
  return { ...snapshot, index: Number(snapshot.sk.slice(PREFIX.length)), request: requestOf(item) };
}

/**
 * Reads the item of a summary, and compares it with its commitment and its hash.
 * @throws RecordDiffers if the item is not the one that was stored
 */
export function readSnapshotItem(item: Item): Snapshot {
  const place = readSubjectPartition(item.pk);
  if (!place) throw new Error(`The item ${item.pk} / ${item.sk} is no snapshot`);
  return requireSnapshot(place.org, storedId(place.subject), storedSnapshot(item));
}

/** Reads the summary of one snapshot; null if no snapshot has this number. */
export async function readSnapshot(table: Table, org: OrganizationId, environment: EnvironmentId, index: number) {
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
export async function readSnapshots(table: Table, org: OrganizationId, places: readonly SnapshotPlace[]) {
  const keys = places.map(({ environment, index }) => snapshotKey(org, environment, index));
  const found = await table.getMany(keys);
  return keys.map((key) => {
    const item = found.get(keyText(key));
    return item ? readSnapshotItem(item) : null;
  });
}

/** Reads the number of the newest snapshot made at or before an instant; 0 if there was none yet. */
export async function indexAt(table: Table, org: OrganizationId, environment: EnvironmentId, at: Micros) {
  const { pk, sk: to } = snapshotTimeKey(org, environment, at);
  const [item] = await table.query({ pk, from: 'T#', to, newestFirst: true, limit: 1 });
  return item ? Number(item['index']) : 0;
}

/** Where the content of a snapshot is stored, and the commitment to it. */
export interface SealedContent {
  body: StoredBody;
  pledge: Uint8Array;
  /** Names the snapshot in errors. */
  place: SnapshotPlace;
}

/** Returns where the content of a snapshot is stored, from its two items; null if one is missing. */
export function sealedContent(environment: EnvironmentId, summary: Item | undefined, content: Item | undefined) {
  if (!summary || !content) return null;
  const { index, pledges } = readSnapshotItem(summary);
  const pledge = pledges['content'];
  if (!pledge) throw new Error(`Snapshot ${index} of environment ${environment} does not commit to a content`);
  return { body: SnapshotContentItem.parse(content).body, pledge, place: { environment, index } };
}

/** Reads where the content of a snapshot is stored; null if no snapshot has this number. */
export async function readSealedContent(table: Table, org: OrganizationId, environment: EnvironmentId, index: number) {
  const [sealed = null] = await readSealedContents(table, org, [{ environment, index }]);
  return sealed;
}

/** Does the same for several snapshots in one batch, in the order of `places`. */
async function readSealedContents(table: Table, org: OrganizationId, places: readonly SnapshotPlace[]) {
  const keys = places.map(({ environment, index }) => ({
    environment,
    summary: snapshotKey(org, environment, Math.max(0, index)),
    content: snapshotContentKey(org, environment, Math.max(0, index)),
  }));
  const found = await table.getMany(keys.flatMap(({ summary, content }) => [summary, content]));
  return keys.map(({ environment, summary, content }) =>
    sealedContent(environment, found.get(keyText(summary)), found.get(keyText(content))),
  );
}

/**
 * Contents in memory, by the commitment to them. Readers ask for the same snapshots again, and so does the next report that
 * changes something.
 */
const remembered = memoryOf<SnapshotContent>('snapshot content');

/** Keeps a content that was just stored in memory. */
export const rememberContent = (
  org: OrganizationId,
  { body: { size }, commitment: pledge }: Pick<PreparedBody, 'body' | 'commitment'>,
  content: SnapshotContent,
): void => remembered.set(digestKey(org, pledge), content, size);

/**
 * Reads the content of a snapshot from its body; null if it was erased. Callers share the object and must not change it.
 * @throws RecordDiffers if the text is not the one that was stored
 */
export async function openContent(objects: Objects, org: OrganizationId, { body, pledge, place }: SealedContent) {
  if (body.store === 'erased') return null;
  const key = digestKey(org, pledge);
  const known = remembered.get(key);
  if (known) return known;
  const text = (await readBody(objects, org, body)) ?? '';
  if (!commitment(body.salt, text).equals(pledge)) {
    const name = `content of snapshot ${place.index} of environment ${place.environment}`;
    throw new RecordDiffers(name, 'it does not fit its commitment');
  }
  const content = readContentText(text);
  remembered.set(key, content, body.size);
  return content;
}

/**
 * Reads the content of a snapshot: its items, then the bucket if the content is too large for the table.
 * @returns null if no snapshot has this number, or if its content was erased
 */
export async function readContent(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  environment: EnvironmentId,
  index: number,
): Promise<SnapshotContent | null> {
  const sealed = await readSealedContent(table, org, environment, index);
  return sealed && openContent(objects, org, sealed);
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
  const found = await readSealedContents(table, org, places);
  return Promise.all(found.map((sealed) => sealed && openContent(objects, org, sealed)));
}

type Owner = Pick<Organization, 'id'>;
type Newest = Pick<EnvironmentHead, 'id' | 'index'>;

/**
 * Reads where the content of the newest snapshot is stored; null if there is no snapshot.
 * @throws Error if the snapshot has no content, since one transaction writes both
 */
export async function readNewestSealed({ table }: Pick<Stores, 'table'>, org: Owner, { id, index }: Newest) {
  if (index === 0) return null;
  const sealed = await readSealedContent(table, org.id, id, index);
  if (!sealed) throw new Error(`Snapshot ${index} of environment ${id} has no content`);
  return sealed;
}

/** Reads the content of the newest snapshot; null if there is no snapshot, and if the content was erased. */
export async function readNewestContent(stores: Pick<Stores, 'table' | 'objects'>, org: Owner, head: Newest) {
  const sealed = await readNewestSealed(stores, org, head);
  return sealed && openContent(stores.objects, org.id, sealed);
}
