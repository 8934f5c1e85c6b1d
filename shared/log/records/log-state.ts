import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { absent, atMost, below, change, either, equal, exists } from '#shared/table/expressions.ts';
import { type Item, type Key, keyText, type Table, type Write } from '#shared/table/table.ts';
import { type CompactRange, EMPTY_RANGE, HASH_BYTES } from '#shared/tlog/tree.ts';
import { type Cosigners, parseCosigners } from './cosigners.ts';
import { checkpointKey, cosignedKey, cosignersKey, logHeadKey, logPartition } from './keys.ts';

/** Head and checkpoint of an organization's log (rules/log.md#sequencing). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const BackfillBorder = z.object({
  /** Entries before this index may have been appended later than their records were written. */
  index: z.number(),
  at: z.number(),
});
export type BackfillBorder = z.infer<typeof BackfillBorder>;

const HeadItem = z.object({
  size: z.number(),
  /** The hashes of the compact range, one after the other. */
  hashes: Bytes,
  origin: z.string(),
  tiled: z.number(),
  at: z.number(),
  backfilled: BackfillBorder.nullable().default(null),
});

export interface LogHead {
  /** Size of the log and right edge of its tree. */
  range: CompactRange;
  /** Name of the log. It is set with the first entry and never changes. */
  origin: string;
  /** How many entries have full bundles and tiles in the bucket: a multiple of 256. */
  tiled: number;
  at: Micros;
  /** Up to where entries were appended late (rules/log.md#backfill); null if there was no backfill. */
  backfilled: BackfillBorder | null;
}

/** Size and time of the last copy of a checkpoint in the bucket (rules/log.md#copies-of-checkpoints). */
const Copied = z.object({ size: z.number(), at: z.number() });
export type Copied = z.infer<typeof Copied>;
export const NO_COPY: Copied = { size: 0, at: 0 };

const CheckpointItem = z.object({
  size: z.number(),
  hashes: Bytes,
  note: z.string(),
  at: z.number(),
  copied: Copied.default(NO_COPY),
});
export interface PublishedCheckpoint {
  /** Size of the log and right edge of its tree. Proofs that are made for this size need fewer tiles with it. */
  range: CompactRange;
  note: string;
  at: Micros;
  /** The last copy of this or an earlier checkpoint. */
  copied: Copied;
}

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
  const { sk: from } = checkpointKey(org);
  const { sk: to } = logHeadKey(org);
  const items = await table.query({ pk: logPartition(org), from, to });
  const read = <T>(key: Key, parse: (item: Item) => T): T | null => {
    const item = items.find(({ sk }) => sk === key.sk);
    return item ? parse(item) : null;
  };
  return {
    head: read(logHeadKey(org), parseHead),
    checkpoint: read(checkpointKey(org), parseCheckpointItem),
    cosigned: read(cosignedKey(org), parseCheckpointItem),
    cosigners: read(cosignersKey(org), parseCosigners),
  };
}

export const readHead = async (table: Table, org: OrganizationId): Promise<LogHead | null> => {
  const item = await table.get(logHeadKey(org));
  return item ? parseHead(item) : null;
};

export const readCheckpoint = async (table: Table, org: OrganizationId): Promise<PublishedCheckpoint | null> => {
  const item = await table.get(checkpointKey(org));
  return item ? parseCheckpointItem(item) : null;
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
    const checkpoint = item && parseCheckpointItem(item);
    if (checkpoint && checkpoint.range.size > index) return checkpoint;
  }
  return null;
}

export function parseHead(item: Item): LogHead {
  const { size, hashes, ...facts } = HeadItem.parse(item);
  return { range: rangeOf(size, hashes), ...facts };
}

export function parseCheckpointItem(item: Item): PublishedCheckpoint {
  const { size, hashes, note, at, copied } = CheckpointItem.parse(item);
  return { range: rangeOf(size, hashes), note, at, copied };
}

export function rangeOf(size: number, hashes: Uint8Array): CompactRange {
  const count = hashes.length / HASH_BYTES;
  const hashAt = (i: number) => Buffer.from(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  return { size, hashes: Array.from({ length: count }, (_, i) => hashAt(i)) };
}

/** The head of a log without entries. It is not stored. */
export const newHead = (origin: string): LogHead => ({ range: EMPTY_RANGE, origin, tiled: 0, at: 0, backfilled: null });

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
  { range, note, at, copied }: PublishedCheckpoint,
  isReplaced: typeof below = below,
): Promise<boolean> => {
  const { size, hashes } = range;
  const set = { size, hashes: Buffer.concat(hashes), note, at, copied, v: 1 };
  return table.update(key, change({ set }, either(absent(), isReplaced({ size }))));
};

/** Replaces a stored checkpoint that was changed (rules/log.md#recover-a-log). */
export const replaceCheckpoint = (
  table: Table,
  org: OrganizationId,
  kind: 'CHECKPOINT' | 'COSIGNED',
  { range, note, at, copied }: PublishedCheckpoint,
): Promise<void> => {
  const key = kind === 'CHECKPOINT' ? checkpointKey(org) : cosignedKey(org);
  return table.put({ ...key, v: 1, size: range.size, hashes: Buffer.concat(range.hashes), note, at, copied });
};

/** Replaces a stored head that was changed (rules/log.md#recover-a-log). */
export const replaceHead = (
  table: Table,
  org: OrganizationId,
  { range, origin, tiled, at, backfilled }: LogHead,
): Promise<void> =>
  table.put({
    ...logHeadKey(org),
    v: 1,
    size: range.size,
    hashes: Buffer.concat(range.hashes),
    origin,
    tiled,
    at,
    ...(backfilled && { backfilled }),
  });

/** Stores which checkpoint was copied last, unless a larger one is stored. */
export const storeCopied = (table: Table, org: OrganizationId, copied: Copied): Promise<boolean> =>
  table.update(
    checkpointKey(org),
    change({ set: { copied } }, exists(), either(absent('copied'), below({ 'copied.size': copied.size }))),
  );
