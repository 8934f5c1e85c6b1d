import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Micros } from '#shared/base/time.ts';
import { absent, change, equal, unchanged } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import type { WitnessedTree } from '../rules/witness.ts';
import { witnessedKey } from './keys.ts';

/** The largest tree of each log of others that the witness has cosigned (rules/log.md#add-checkpoint). */

const WitnessedItem = z.object({
  size: z.number(),
  root: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  note: z.string().optional(),
});

interface Witnessed extends WitnessedTree {
  /** The checkpoint that was cosigned last, with the signatures of its log and of the witness. */
  note?: string | undefined;
}

export const originDigest = (origin: string): string => hash('sha256', origin);

/** @param digest SHA-256 of the origin in hex */
export async function readWitnessed(table: Table, digest: string): Promise<Witnessed | null> {
  const item = await table.get(witnessedKey(digest));
  if (!item) return null;
  const { size, root, note } = WitnessedItem.parse(item);
  return { size, root: Buffer.from(root), note };
}

/**
 * Stores the tree that the witness is about to cosign, if it still knows the tree that the caller read. Of two requests
 * that continue the same tree, one is stored.
 */
export const storeTree = (
  table: Table,
  digest: string,
  before: WitnessedTree | null,
  { origin, size, root, at }: WitnessedTree & { origin: string; at: Micros },
): Promise<boolean> =>
  table.update(
    witnessedKey(digest),
    change({ set: { origin, size, root, at, v: 1 } }, before ? unchanged(before, 'size', 'root') : absent()),
  );

/** Stores the cosigned checkpoint for monitors, unless a larger tree was stored since. */
export async function storeNote(table: Table, digest: string, size: number, note: string): Promise<void> {
  await table.update(witnessedKey(digest), change({ set: { note } }, equal({ size })));
}
