import type { OrganizationId } from '#shared/base/ids.ts';
import { EPOCH } from '#shared/base/time.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { parseNote, verifySignatures } from '#shared/tlog/notes.ts';
import { decodeBundle, TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { type CompactRange, EMPTY_RANGE, leafHash, rootOf } from '#shared/tlog/tree.ts';
import { newestCopyAbove, readCopy } from '../checkpoint-copies.ts';
import { readBatches } from '../records/log-batches.ts';
import type { LogHead, LogState, PublishedCheckpoint } from '../records/log-state.ts';
import { type Grown, grow, isSameRange } from '../rules/growth.ts';
import { LogDiffers } from '../rules/log-differs.ts';
import { tileName } from '../tiles.ts';

/** Whether what is stored of a log continues what was published (rules/log.md#continuity). */

/** Bundles whose batches one Query reads. It bounds the memory that a long stretch without a checkpoint takes. */
const BUNDLES_AT_ONCE = 64;

type SignedRange = Pick<PublishedCheckpoint, 'note' | 'range'>;

/**
 * Returns the tree of the head, after it was computed from the published checkpoint and the entries since
 * (rules/log.md#continuity). Costs no call if every entry is published, otherwise one Query.
 *
 * @param publicKey the public half of the key of logs; without it, signatures are not verified
 * @throws LogDiffers
 */
export async function requireContinuous(
  services: Reading,
  org: OrganizationId,
  { head, checkpoint, cosigned }: LogState,
  publicKey: Buffer | undefined,
): Promise<Grown> {
  if (!head) return { range: EMPTY_RANGE, full: new Map() };
  for (const signed of [checkpoint, cosigned]) if (signed) requireSigned(org, head.origin, signed, publicKey);
  if (checkpoint && checkpoint.copied.size > checkpoint.range.size) {
    throw new LogDiffers(org, `the last copy has the size ${checkpoint.copied.size}, the checkpoint is smaller`);
  }
  const published = checkpoint?.range ?? EMPTY_RANGE;
  requireTiled(org, head, published.size);
  const from = checkpoint ? { range: published, full: new Map() } : await sinceCopy(services, org, head, publicKey);
  return continued(services, org, from, head.range);
}

/** Computes a tree from an earlier one and the stored entries since. @throws LogDiffers if it is not the given tree */
export async function continued(services: Reading, org: OrganizationId, from: Grown, to: CompactRange): Promise<Grown> {
  const grown = await grownTo(services, org, from, to.size);
  if (isSameRange(grown.range, to)) return grown;
  throw new LogDiffers(org, `the head of size ${to.size} does not follow from the ${from.range.size} entries before`);
}

/** Requires that a stored checkpoint is the one that the log signed, and that the stored range has its root. */
export function requireSigned(
  org: OrganizationId,
  origin: string,
  { note: text, range }: SignedRange,
  publicKey: Buffer | undefined,
): void {
  const what = `the stored checkpoint of size ${range.size}`;
  let isSame: boolean;
  let isSigned: boolean;
  try {
    const note = parseNote(text);
    const signed = parseCheckpoint(note.text);
    isSame = signed.origin === origin && signed.size === range.size && signed.root.equals(rootOf(range));
    isSigned = !publicKey || verifySignatures(note, [verifierKey(origin, 'ed25519', publicKey)]).length === 1;
  } catch (cause) {
    throw new LogDiffers(org, `${what} is damaged`, { cause });
  }
  if (!isSame) throw new LogDiffers(org, `${what} is not the one that its text names`);
  if (!isSigned) throw new LogDiffers(org, `the log did not sign ${what}`);
}

/** A checkpoint is published after all its full tiles were stored. */
function requireTiled(org: OrganizationId, { range, tiled }: LogHead, published: number): void {
  const isPossible = tiled % TILE_WIDTH === 0 && tiled <= range.size && tiled + TILE_WIDTH > published;
  if (!isPossible) throw new LogDiffers(org, `the head says that ${tiled} of ${range.size} entries have full tiles`);
}

/**
 * Begins with the newest copy of a checkpoint. A log whose first checkpoint was not stored can have a copy; a log whose
 * checkpoint was removed from the table has one.
 */
async function sinceCopy(
  services: Reading,
  org: OrganizationId,
  { range, origin }: LogHead,
  publicKey: Buffer | undefined,
): Promise<Grown> {
  const size = await newestCopyAbove(services.objects, org, 0);
  // A copy of a larger log is a matter of the guard.
  if (size === null || size > range.size) return { range: EMPTY_RANGE, full: new Map() };
  const grown = await grownTo(services, org, { range: EMPTY_RANGE, full: new Map() }, size);
  requireSigned(org, origin, { ...(await readCopy(services.objects, org, size)), range: grown.range }, publicKey);
  return grown;
}

/**
 * Returns the newest checkpoint that the bucket has a copy of, with its tree computed from all entries.
 *
 * @returns null if there is no copy, or if the newest one is larger
 * @throws LogDiffers if the log did not sign the copy, or if the entries do not have its root
 */
export async function copiedCheckpoint(
  services: Reading,
  org: OrganizationId,
  publicKey: Buffer,
  most: number,
): Promise<PublishedCheckpoint | null> {
  const size = await newestCopyAbove(services.objects, org, 0);
  if (size === null || size > most) return null;
  const { note } = await readCopy(services.objects, org, size);
  const { range } = await grownTo(services, org, { range: EMPTY_RANGE, full: new Map() }, size);
  requireSigned(org, parseCheckpoint(parseNote(note).text).origin, { note, range }, publicKey);
  return { range, note, at: EPOCH, copied: { size, at: EPOCH } };
}

async function grownTo(services: Reading, org: OrganizationId, from: Grown, size: number): Promise<Grown> {
  let grown = from;
  while (grown.range.size < size) {
    const at = grown.range.size;
    const end = Math.min(size, (Math.floor(at / TILE_WIDTH) + BUNDLES_AT_ONCE) * TILE_WIDTH);
    grown = grow(grown, (await entriesBetween(services, org, at, end)).map(leafHash));
  }
  return grown;
}

/**
 * Reads entries from their batches. If some batches have expired, their bundles are in the bucket.
 *
 * @param from a size that the log had, so a batch begins here
 */
async function entriesBetween(services: Reading, org: OrganizationId, from: number, to: number): Promise<Buffer[]> {
  const { entries: read } = await readBatches(services.table, org, from, to);
  if (read.length === to - from) return read;
  const entries: Buffer[] = [];
  while (from + entries.length < to) {
    const at = from + entries.length;
    const bundle = await bundleUpTo(services, org, Math.floor(at / TILE_WIDTH), to);
    entries.push(...bundle.slice(at % TILE_WIDTH));
  }
  return entries;
}

async function bundleUpTo(
  { table, objects }: Reading,
  org: OrganizationId,
  index: number,
  to: number,
): Promise<Buffer[]> {
  const start = index * TILE_WIDTH;
  const width = Math.min(TILE_WIDTH, to - start);
  const { entries } = await readBatches(table, org, start, start + width);
  if (entries.length >= width) return entries.slice(0, width);
  const bytes = await objects.getLogObject(org, tileName({ level: 'entries', index, width: TILE_WIDTH }));
  if (bytes) return decodeBundle(bytes, TILE_WIDTH).slice(0, width);
  throw new LogDiffers(
    org,
    `neither the table nor the bucket has entry ${start + entries.length}, and the log has ${to}`,
  );
}
