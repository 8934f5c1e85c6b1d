import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { EPOCH, StoredMicros } from '#shared/base/time.ts';
import { absent, atMost, below, change, either, equal, exists } from '#shared/table/expressions.ts';
import { type Item, type Key, keyText, type Range, type Table, type Write } from '#shared/table/table.ts';
import { type CompactRange, EMPTY_RANGE, HASH_BYTES } from '#shared/tlog/tree.ts';
import { Cosigners } from './cosigners.ts';
import { checkpointKey, cosignedKey, cosignersKey, logHeadKey, logPartition } from './keys.ts';

/** Head and checkpoint of an organization's log (rules/log.md#sequencing). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const BackfillBorder = z.object({
  /** Entries before this index may have been appended later than their records were written. */
  index: z.number(),
  at: StoredMicros,
});
export type BackfillBorder = z.infer<typeof BackfillBorder>;

export const LogHead = z
  .object({
    size: z.number(),
    /** The hashes of the compact range, one after the other. */
    hashes: Bytes,
    /** Name of the log. It is set with the first entry and never changes. */
    origin: z.string(),
    /** How many entries have full bundles and tiles in the bucket: a multiple of 256. */
    tiled: z.number(),
    at: StoredMicros,
    /** Up to where entries were appended late (rules/log.md#backfill); null if there was no backfill. */
    backfilled: BackfillBorder.nullable().default(null),
  })
  .transform(withRange);
export type LogHead = z.infer<typeof LogHead>;

/** Size and time of the last copy of a checkpoint in the bucket (rules/log.md#copies-of-checkpoints). */
const Copied = z.object({ size: z.number(), at: StoredMicros });
export type Copied = z.infer<typeof Copied>;
export const NO_COPY: Copied = { size: 0, at: EPOCH };

export const PublishedCheckpoint = z
  .object({
    size: z.number(),
    hashes: Bytes,
    /** The signed checkpoint as the log serves it. */
    note: z.string(),
    at: StoredMicros,
    /** The last copy of this or an earlier checkpoint. */
    copied: Copied.default(NO_COPY),
  })
  .transform(withRange);
export type PublishedCheckpoint = z.infer<typeof PublishedCheckpoint>;

/** What is known of a log in one read. Head and checkpoint are null before the first entry. */
export interface LogState {
  head: LogHead | null;
  checkpoint: PublishedCheckpoint | null;
  /** The newest checkpoint that the witnesses of the policy cosigned; null if there is none. */
  cosigned: PublishedCheckpoint | null;
  /** Null if no witness was ever asked. */
  cosigners: Cosigners | null;
}

/** Reads head, checkpoint and what witnesses cosigned with one Query. */
export async function readLogState(table: Table, org: OrganizationId): Promise<LogState> {
  return logStateOf(org, await table.query(stateRange(org)));
}

/** Reads the items of the states of logs, of 50 logs with one call. {@link logStateOf} reads a state from them. */
export async function readLogItems(
  table: Table,
  orgs: readonly OrganizationId[],
): Promise<ReadonlyMap<OrganizationId, readonly Item[]>> {
  const items = await table.queryEach(orgs.map(stateRange));
  return new Map(orgs.map((org, i) => [org, items[i] ?? []]));
}

const stateRange = (org: OrganizationId): Range => ({
  pk: logPartition(org),
  from: checkpointKey(org).sk,
  to: logHeadKey(org).sk,
});

/** @throws ZodError if an item does not fit its schema */
export function logStateOf(org: OrganizationId, items: readonly Item[]): LogState {
  const read = <T>(key: Key, schema: z.ZodType<T>): T | null => {
    const item = items.find(({ sk }) => sk === key.sk);
    return item ? schema.parse(item) : null;
  };
  return {
    head: read(logHeadKey(org), LogHead),
    checkpoint: read(checkpointKey(org), PublishedCheckpoint),
    cosigned: read(cosignedKey(org), PublishedCheckpoint),
    cosigners: read(cosignersKey(org), Cosigners),
  };
}

export const readHead = async (table: Table, org: OrganizationId): Promise<LogHead | null> => {
  const item = await table.get(logHeadKey(org));
  return item ? LogHead.parse(item) : null;
};

export const readCheckpoint = async (table: Table, org: OrganizationId): Promise<PublishedCheckpoint | null> => {
  const item = await table.get(checkpointKey(org));
  return item ? PublishedCheckpoint.parse(item) : null;
};

/** Keys of the checkpoints that receipts are made for, the preferred one first (rules/log.md#checkpoint-of-a-receipt). */
export const receiptCheckpointKeys = (org: OrganizationId): Key[] => [cosignedKey(org), checkpointKey(org)];

/** Returns the checkpoint that a receipt is made for; null if none covers the index. @param found items by `keyText` */
export function receiptCheckpoint(
  org: OrganizationId,
  found: ReadonlyMap<string, Item>,
  index: number,
): PublishedCheckpoint | null {
  for (const key of receiptCheckpointKeys(org)) {
    const item = found.get(keyText(key));
    const checkpoint = item && PublishedCheckpoint.parse(item);
    if (checkpoint && checkpoint.range.size > index) return checkpoint;
  }
  return null;
}

/** Makes the right edge of a tree from its parts. Proofs that are made for its size need fewer tiles with it. */
function withRange<T extends { size: number; hashes: Uint8Array }>({ size, hashes, ...facts }: T) {
  return { range: rangeOf(size, hashes), ...facts };
}

export function rangeOf(size: number, hashes: Uint8Array): CompactRange {
  const count = hashes.length / HASH_BYTES;
  const hashAt = (i: number) => Buffer.from(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  return { size, hashes: Array.from({ length: count }, (_, i) => hashAt(i)) };
}

/** The head of a log without entries. It is not stored. */
export const newHead = (origin: string): LogHead => ({
  range: EMPTY_RANGE,
  origin,
  tiled: 0,
  at: EPOCH,
  backfilled: null,
});

/** Moves the head on, if the log still has the size that the caller read. @param moved the outcome otherwise */
export function headWrite<R>(org: OrganizationId, before: LogHead, after: LogHead, moved: () => R): Write<R> {
  const isFirst = before.range.size === 0;
  const { range, at, origin } = after;
  // Another writer may move `tiled` on at the same time, so later writes leave it as it is.
  const set = { size: range.size, hashes: Buffer.concat(range.hashes), at, ...(isFirst && { v: 1, origin, tiled: 0 }) };
  const asRead = isFirst ? absent() : equal({ size: before.range.size });
  return { update: logHeadKey(org), ...change({ set }, asRead), refused: moved };
}

/** Stores how many entries have full tiles, unless more is stored. */
export async function storeTiled(table: Table, org: OrganizationId, tiled: number): Promise<void> {
  await table.update(logHeadKey(org), change({ set: { tiled } }, below({ tiled })));
}

/** Stores a checkpoint, unless the stored one is as large. @returns whether it was stored */
export const storeCheckpoint = (table: Table, org: OrganizationId, checkpoint: PublishedCheckpoint): Promise<boolean> =>
  putLarger(table, checkpointKey(org), checkpoint);

/**
 * Stores a cosigned checkpoint, unless the stored one is larger. One of the same size may have cosignatures of an earlier policy.
 * The published one of this size gets its note too.
 */
export async function storeCosigned(table: Table, org: OrganizationId, checkpoint: PublishedCheckpoint): Promise<void> {
  const { range, note } = checkpoint;
  await Promise.all([
    putLarger(table, cosignedKey(org), checkpoint, atMost),
    table.update(checkpointKey(org), change({ set: { note } }, equal({ size: range.size }))),
  ]);
}

const putLarger = (
  table: Table,
  key: Key,
  checkpoint: PublishedCheckpoint,
  isReplaced: typeof below = below,
): Promise<boolean> => {
  const set = { ...attributesOf(checkpoint), v: 1 };
  return table.update(key, change({ set }, either(absent(), isReplaced({ size: set.size }))));
};

const attributesOf = <T extends { range: CompactRange }>({ range: { size, hashes }, ...facts }: T) => ({
  size,
  hashes: Buffer.concat(hashes),
  ...facts,
});

/** Replaces a stored checkpoint that was changed (rules/log.md#recover-a-log). */
export const replaceCheckpoint = (table: Table, key: Key, checkpoint: PublishedCheckpoint): Promise<void> =>
  table.put({ ...key, v: 1, ...attributesOf(checkpoint) });

/** Replaces a stored head that was changed (rules/log.md#recover-a-log). */
export const replaceHead = (table: Table, org: OrganizationId, { backfilled, ...head }: LogHead): Promise<void> =>
  table.put({ ...logHeadKey(org), v: 1, ...attributesOf(head), ...(backfilled && { backfilled }) });

/** Stores which checkpoint was copied last, unless a larger one is stored. */
export const storeCopied = (table: Table, org: OrganizationId, copied: Copied): Promise<boolean> =>
  table.update(
    checkpointKey(org),
    change({ set: { copied } }, exists(), either(absent('copied'), below({ 'copied.size': copied.size }))),
  );
