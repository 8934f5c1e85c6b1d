import type { OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { TILE_HEIGHT } from '#shared/tlog/proofs.ts';
import { decodeBundle, decodeTile, TILE_WIDTH, type Tile } from '#shared/tlog/tiles.ts';
import { EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { readRootItems, type StoredRoot } from '../records/log-batches.ts';
import { readWalk, saveWalk, type Walk, type WalkState } from '../records/walks.ts';
import { type Grown, grow } from '../rules/growth.ts';
import { LogDiffers } from '../rules/log-differs.ts';
import type { LogServices } from '../services.ts';
import { logTiles, tileName } from '../tiles.ts';
import { requireSigned } from './continuity.ts';

/** Walks over a whole log and compares everything that is stored of it (rules/log.md#walk). */

type WalkServices = Pick<LogServices, 'table' | 'objects' | 'clock' | 'logSigner'>;

interface WalkOptions {
  /** A walk that ended after this time is not begun again. */
  since: Micros;
  log: WorkerLog;
  isTime: () => boolean;
}

/** Bundles between two places that are stored. */
const BUNDLES_AT_ONCE = 32;
/** Bundles at the same time. Each of them reads two objects. */
const WIDTH = 4;
/** After this many parts that differ, a walk ends: what is wrong is known. */
const MOST_DIFFERENT = 20;

interface Walking {
  services: WalkServices;
  org: OrganizationId;
  differs: (part: string) => void;
}

/**
 * Continues the walk over the log of an organization, up to the checkpoint that was published when the walk began. Logs each
 * part that differs, which raises an alarm, and changes nothing but its place.
 *
 * @returns `more` if there was not enough time
 */
export async function walkLog(
  services: WalkServices,
  org: OrganizationId,
  { since, log, isTime }: WalkOptions,
): Promise<'more' | 'done'> {
  let found = 0;
  const differs = (part: string) => {
    found += 1;
    log('A part of a log is not what was published', { organization: org, part });
  };
  const walking: Walking = { services, org, differs };
  const state = await readWalk(services.table, org);
  let walk = await begun(walking, state, since);
  if (!walk) return 'done';
  let grown: Grown = { range: walk.range, full: new Map() };
  const full = walk.size - (walk.size % TILE_WIDTH);
  while (grown.range.size < full && found < MOST_DIFFERENT) {
    if (!isTime()) return 'more';
    const next = await walkBundles(walking, grown, full);
    if (!next) break;
    grown = { range: next.range, full: new Map() };
    walk = { ...walk, range: grown.range };
    await saveWalk(services.table, org, walk);
  }
  if (grown.range.size === full && found === 0) await compareEnd(walking, walk, grown);
  await saveWalk(services.table, org, { ...walk, finishedAt: services.clock.now() });
  return 'done';
}

/** Returns the walk that goes on or a new one; null if there is nothing to do. */
async function begun({ services, org, differs }: Walking, state: WalkState, since: Micros): Promise<Walk | null> {
  const { walk, head, checkpoint } = state;
  if (walk && (walk.finishedAt === null || walk.finishedAt >= since)) return walk.finishedAt === null ? walk : null;
  if (!checkpoint) return null;
  try {
    requireSigned(org, head?.origin ?? '', checkpoint, (await services.logSigner()).publicKey);
  } catch (error) {
    if (!(error instanceof LogDiffers)) throw error;
    differs('checkpoint');
    return null;
  }
  const { size, root } = parseCheckpoint(parseNote(checkpoint.note).text);
  return { size, root, range: EMPTY_RANGE, finishedAt: null };
}

/** @returns null if the entries of a bundle can be had neither from the bundle nor from its tile */
async function walkBundles(walking: Walking, from: Grown, full: number): Promise<Grown | null> {
  const { services, org, differs } = walking;
  const first = from.range.size / TILE_WIDTH;
  const count = Math.min(BUNDLES_AT_ONCE, full / TILE_WIDTH - first);
  const indexes = Array.from({ length: count }, (_, i) => first + i);
  const [roots, bundles] = await Promise.all([
    readRootItems(services.table, org, 0, first, count),
    inParallel(indexes, WIDTH, (index) => readBundle(walking, index)),
  ]);
  let grown = from;
  for (const [i, { entries, tile }] of bundles.entries()) {
    const index = first + i;
    const leaves = leavesOf(entries, tile, roots.get(index));
    if (!leaves) {
      differs(`tile/entries and tile/0 of bundle ${index}`);
      return null;
    }
    const root = rootOfLeaves(leaves);
    if (!entries || !rootOfLeaves(entries).equals(root)) differs(tileName(fullTile('entries', index)));
    if (!tile || !rootOfLeaves(tile).equals(root)) differs(tileName(fullTile(0, index)));
    grown = grow(grown, leaves);
    const expected = grown.full.get(index) ?? [];
    if (!isRoot(roots.get(index), expected)) differs(`N#0#${index}`);
    await compareUpperTiles(walking, index, expected);
  }
  return grown;
}

/** The leaves of a bundle, from its entries and from its tile; null for each that is missing or damaged. */
interface ReadBundle {
  entries: Buffer[] | null;
  tile: Buffer[] | null;
}

const fullTile = (level: Tile['level'], index: number): Tile => ({ level, index, width: TILE_WIDTH });

async function readBundle(walking: Walking, index: number): Promise<ReadBundle> {
  const [entries, tile] = await Promise.all([
    readParts(walking, fullTile('entries', index), decodeBundle),
    readParts(walking, fullTile(0, index), decodeTile),
  ]);
  return { entries: entries?.map(leafHash) ?? null, tile };
}

/** Reads a full tile or bundle; null if the bucket has none, or one of another form. */
async function readParts(
  { services: { objects }, org }: Walking,
  tile: Tile,
  decode: (bytes: Buffer, width: number) => Buffer[],
): Promise<Buffer[] | null> {
  const bytes = await objects.getLogObject(org, tileName(tile));
  try {
    return bytes && decode(bytes, TILE_WIDTH);
  } catch {
    // The caller names the object: it differs from what was published, in whatever way.
    return null;
  }
}

/** Returns the leaves with the root that two of bundle, tile and stored root have; otherwise those of the bundle or the tile. */
function leavesOf(entries: Buffer[] | null, tile: Buffer[] | null, stored: StoredRoot | undefined): Buffer[] | null {
  if (!entries || !tile) return entries ?? tile;
  return stored && rootOfLeaves(tile).equals(stored.hash) ? tile : entries;
}

const isRoot = (stored: StoredRoot | undefined, expected: readonly Buffer[]): boolean =>
  stored !== undefined && Buffer.concat([stored.hash, stored.above]).equals(Buffer.concat(expected));

async function compareUpperTiles(walking: Walking, bundle: number, expected: readonly Buffer[]): Promise<void> {
  const { services, org, differs } = walking;
  for (let level = 1; (bundle + 1) % TILE_WIDTH ** level === 0; level += 1) {
    const tile = fullTile(level, (bundle + 1) / TILE_WIDTH ** level - 1);
    const root = expected[TILE_HEIGHT * level];
    const hashes = await readParts(walking, tile, decodeTile);
    if (!hashes || !root || !rootOfLeaves(hashes).equals(root)) differs(tileName(tile));
    const stored = (await readRootItems(services.table, org, level, tile.index, 1)).get(tile.index);
    if (!root?.equals(stored?.hash ?? Buffer.of())) differs(`N#${level}#${tile.index}`);
  }
}

async function compareEnd({ services, org, differs }: Walking, { size, root }: Walk, grown: Grown): Promise<void> {
  const width = size % TILE_WIDTH;
  const index = (size - width) / TILE_WIDTH;
  try {
    const entries = width > 0 ? await logTiles(services, org, size).entries(index, width) : [];
    if (!rootOf(grow(grown, entries.map(leafHash)).range).equals(root)) differs(`root of the checkpoint ${size}`);
  } catch (error) {
    if (!(error instanceof LogDiffers)) throw error;
    differs(`batches of bundle ${index}`);
  }
}
