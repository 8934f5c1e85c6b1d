import type { OrganizationId } from '#shared/base/ids.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import { ObjectDiffers } from '#shared/bodies/object-errors.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { sequence } from '#shared/table/keys.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { decodeBundle, encodeBundle, TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { readEntries } from './records/log-batches.ts';
import type { PublishedCheckpoint } from './records/log-state.ts';

/** Copies of checkpoints outside of the table (rules/log.md#copies-of-checkpoints). */

export const COPIED_EVERY: Duration = 60_000_000;
const PAGE = 1_000;

const FOLDER = 'checkpoints/';
const copyName = (size: number): string => FOLDER + sequence(size);

export const isCopyDue = ({ range, copied }: PublishedCheckpoint, now: Micros): boolean =>
  copied.size < range.size && now - copied.at >= COPIED_EVERY;

/** Stores a copy of a checkpoint. @param since size of the copy before @throws ObjectDiffers if another is stored */
export async function storeCopy(
  { table, objects }: Reading,
  org: OrganizationId,
  { range: { size }, note }: Pick<PublishedCheckpoint, 'range' | 'note'>,
  since: number,
): Promise<void> {
  const entries = await readEntries(table, org, Math.max(since, size - (size % TILE_WIDTH)), size);
  try {
    await objects.putLogObject(org, copyName(size), encodeBundle([Buffer.from(note), ...entries]));
  } catch (error) {
    if (!(error instanceof ObjectDiffers)) throw error;
    // A copy of the same checkpoint can begin with another entry.
    const present = await readCopy(objects, org, size);
    if (parseNote(present.note).text !== parseNote(note).text) throw error;
  }
}

/** A signed checkpoint, and those last entries of its log that the copy before does not have. */
type Copy = { note: string; entries: Buffer[] };

/** @throws Error if there is no copy of this size */
export async function readCopy(objects: Objects, org: OrganizationId, size: number): Promise<Copy> {
  const bytes = await objects.getLogObject(org, copyName(size));
  if (!bytes) throw new Error(`The bucket has no copy of the checkpoint of size ${size} of organization ${org}`);
  const [note = Buffer.of(), ...entries] = decodeBundle(bytes);
  return { note: note.toString(), entries };
}

/** Returns the sizes of the copies above a size, ascending, at most a page of them. */
export async function copiesAbove(
  objects: Objects,
  org: OrganizationId,
  size: number,
  limit = PAGE,
): Promise<number[]> {
  const names = await objects.listLogObjects(org, FOLDER, copyName(size), limit);
  return names.map((name) => Number(name.slice(FOLDER.length)));
}

/** Returns the size of the newest copy above a size; null if there is none. */
export async function newestCopyAbove(objects: Objects, org: OrganizationId, size: number): Promise<number | null> {
  let newest: number | null = null;
  for (;;) {
    const sizes = await copiesAbove(objects, org, newest ?? size);
    newest = sizes.at(-1) ?? newest;
    if (sizes.length < PAGE) return newest;
  }
}
