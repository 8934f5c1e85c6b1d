import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { change, exists } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type Subtree, TILE_HEIGHT } from '#shared/tlog/proofs.ts';
import { decodeBundle, encodeBundle } from '#shared/tlog/tiles.ts';
import { HASH_BYTES } from '#shared/tlog/tree.ts';
import { LogDiffers } from '../rules/log-differs.ts';
import { logBatchKey, tileRootKey } from './keys.ts';

/** Batches of entries, and roots of full tiles (rules/log.md#batches). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const BatchItem = z.object({ sk: z.string(), packed: Bytes });
const StoredRoot = z
  .object({
    hash: Bytes,
    /** Roots of the larger full subtrees that end with the tile, one after the other. */
    above: Bytes.default(new Uint8Array()),
  })
  .transform(({ hash, above }) => ({ hash: Buffer.from(hash), above: Buffer.from(above) }));
export type StoredRoot = z.infer<typeof StoredRoot>;

/** How long a batch is kept after its bundle is in the bucket, in seconds. */
const BATCH_KEPT_SECONDS = 7 * 24 * 3600;
const WIDTH = 8;

/** Entries of one organization repeat ids and names of fields, so compressed they need half the units. */
const batchItem = (org: OrganizationId, first: number, entries: readonly Uint8Array[]): Item => ({
  ...logBatchKey(org, first),
  v: 1,
  packed: deflateRawSync(encodeBundle(entries)),
});

/** @throws LogDiffers if the batch was changed so that it cannot be read */
function readBatch(org: OrganizationId, item: Item): { first: number; entries: Buffer[] } {
  try {
    const { sk, packed } = BatchItem.parse(item);
    return { first: Number(sk.slice(2)), entries: decodeBundle(inflateRawSync(packed)) };
  } catch (cause) {
    throw new LogDiffers(org, `the batch ${item.sk} is damaged`, { cause });
  }
}

export const batchWrite = (org: OrganizationId, first: number, entries: readonly Uint8Array[]): Write =>
  putIfAbsent(batchItem(org, first, entries));

/** Stores a batch that comes back to its index. A restored table can have it without the head that belongs to it. */
export const replayedBatchWrite = (org: OrganizationId, first: number, entries: readonly Uint8Array[]): Write => ({
  put: batchItem(org, first, entries),
});

interface Batches {
  /** Index of the first entry of each batch. */
  firsts: number[];
  entries: Buffer[];
}

/**
 * Reads batches with one Query, and joins them. Batches of a bundle that is in the bucket can be missing, each on its own.
 *
 * @param from a size that the log had, so a batch begins here
 * @returns the entries up to the first one that is missing
 */
export async function readBatches(table: Table, org: OrganizationId, from: number, to: number): Promise<Batches> {
  const { pk, sk } = logBatchKey(org, from);
  const entries: Buffer[] = [];
  const firsts: number[] = [];
  for (const item of await table.query({ pk, from: sk, to: logBatchKey(org, to - 1).sk })) {
    const batch = readBatch(org, item);
    if (batch.first !== from + entries.length) break;
    firsts.push(batch.first);
    entries.push(...batch.entries);
  }
  return { firsts, entries };
}

/** Reads entries of one bundle that is not full. @throws Error if an entry is missing */
export async function readEntries(table: Table, org: OrganizationId, from: number, to: number): Promise<Buffer[]> {
  if (from === to) return [];
  const { entries } = await readBatches(table, org, from, to);
  if (entries.length === to - from) return entries;
  throw new Error(`The table has ${entries.length} entries from ${from} to ${to} of the log of organization ${org}`);
}

export async function expireBatches(
  table: Table,
  org: OrganizationId,
  firsts: readonly number[],
  epochSeconds: number,
): Promise<void> {
  await inParallel(firsts, WIDTH, (first) =>
    table.update(logBatchKey(org, first), change({ set: { ttl: epochSeconds + BATCH_KEPT_SECONDS } }, exists())),
  );
}

/** Stores the root of a full tile above level 0. Every writer stores the same. */
export const storeTileRoot = (
  table: Table,
  org: OrganizationId,
  level: number,
  index: number,
  hash: Uint8Array,
): Promise<void> => table.put({ ...tileRootKey(org, level, index), v: 1, hash });

/**
 * Stores the root of a full tile of level 0, with the roots of all larger full subtrees that end with this tile
 * (rules/log.md#stored-roots). Every writer stores the same.
 *
 * @param roots the root of the tile, then those of the larger subtrees
 */
export const storeRoots = (
  table: Table,
  org: OrganizationId,
  index: number,
  [hash, ...above]: readonly Buffer[],
): Promise<void> => table.put({ ...tileRootKey(org, 0, index), v: 1, hash, above: Buffer.concat(above) });

/** Reads the stored roots of full tiles of a level, from tile `first` on. @returns those that are stored, by the index of the tile */
export async function readRootItems(
  table: Table,
  org: OrganizationId,
  level: number,
  first: number,
  count: number,
): Promise<Map<number, StoredRoot>> {
  const { pk, sk: from } = tileRootKey(org, level, first);
  const { sk: to } = tileRootKey(org, level, first + count - 1);
  const items = await table.query({ pk, from, to });
  return new Map(items.map((item) => [Number(item.sk.slice(`N#${level}#`.length)), StoredRoot.parse(item)]));
}

/** Reads the roots of full subtrees of at least 256 leaves, with one call. @returns null for each that is not stored */
export async function readRoots(
  table: Table,
  org: OrganizationId,
  subtrees: readonly Subtree[],
): Promise<(Buffer | null)[]> {
  if (subtrees.length === 0) return [];
  const last = ({ height, position }: Subtree) => tileRootKey(org, 0, (position + 1) * 2 ** (height - TILE_HEIGHT) - 1);
  const found = await table.getMany(subtrees.map(last));
  return subtrees.map((subtree) => {
    const item = found.get(keyText(last(subtree)));
    if (!item) return null;
    const { hash, above } = StoredRoot.parse(item);
    const from = (subtree.height - TILE_HEIGHT) * HASH_BYTES;
    const root = Buffer.concat([hash, above]).subarray(from, from + HASH_BYTES);
    return root.length === HASH_BYTES ? root : null;
  });
}

/** Reads the roots of full tiles of a level, from tile `first` on. @throws Error if a root is missing */
export async function readTileRoots(
  table: Table,
  org: OrganizationId,
  level: number,
  first: number,
  count: number,
): Promise<Buffer[]> {
  const roots = await readRootItems(table, org, level, first, count);
  if (roots.size === count) return [...roots.values()].map(({ hash }) => hash);
  throw new Error(`${count - roots.size} roots of tiles of level ${level} from ${first} on are missing`);
}
