import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Id, idOfDigest, isId, type OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, StoredMicros } from '#shared/base/time.ts';
import { type PreparedBody, StoredBody } from '#shared/bodies/bodies.ts';
import { erasedBody, erasedObjects } from '#shared/bodies/erased-bodies.ts';
import type { Erasure, ErasurePlan } from '#shared/bodies/erasure.ts';
import { atMost, change, different } from '#shared/table/expressions.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { type Item, putIfAbsent, type Table, withRequest } from '#shared/table/table.ts';
import { statementEntry } from '../rules/sigstore-bundle.ts';
import { statementKey, statementPartition } from './keys.ts';

/** Signed statements (rules/log.md#statements). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const StatementItem = z.object({
  sk: z.string(),
  /** What the statement is about, in ids; see {@link statementIdOf}. */
  about: z.string(),
  payload: StoredBody,
  /** SHA-256 of the bytes that were signed. */
  digest: Bytes,
  /** ASN.1 in DER. */
  signature: Bytes,
  /** SPKI in DER. */
  publicKey: Bytes,
  /** When the relay was last given the statement for the log. */
  sent: StoredMicros,
});
export type StatementItem = z.infer<typeof StatementItem>;

/** The user of the body of a statement (rules/storage.md#uses-of-a-body). */
export const statementUser = (id: Id): string => `statement:${id}`;

/**
 * Returns the id of the statement about something. Equal texts have equal ids, so there is one statement about each moment
 * of a subject.
 */
export const statementIdOf = (about: string): Id => idOfDigest(hash('sha256', about));

/** Returns the partitions of all statements of an organization. They go by the first digit of the id. */
export const statementPartitions = (org: OrganizationId): PartitionKey[] =>
  [...'0123456789abcdef'].map((digit) => statementPartition(org, digit));

export async function readStatement(table: Table, org: OrganizationId, id: string): Promise<StatementItem | null> {
  if (!isId(id)) return null;
  const item = await table.get(statementKey(org, id));
  return item ? StatementItem.parse(item) : null;
}

/** Statements and partitions that {@link readStatementsAfter} reads at most. */
const STATEMENTS = 20;
const PARTITIONS = 4;

/** Items of statements in the order of their ids, and where the next read continues. */
interface StatementPage {
  found: Item[];
  /** An id, the first digit of the next ids, or an empty text behind the last statement. */
  next: string;
}

/** Reads the next statements of an organization. @param after the last id, or `next` of the page before */
export async function readStatementsAfter(table: Table, org: OrganizationId, after: string): Promise<StatementPage> {
  const left = statementPartitions(org).slice(Number.parseInt(after.slice(0, 1) || '0', 16));
  const found: Item[] = [];
  for (const pk of left.slice(0, PARTITIONS)) {
    found.push(...(await table.query({ pk, from: `${after}\0`, limit: STATEMENTS - found.length })));
    const last = found.at(-1);
    if (last && found.length === STATEMENTS) return { found, next: last.sk };
  }
  const next = statementPartitions(org).length - left.length + PARTITIONS;
  return { found, next: left.length > PARTITIONS ? next.toString(16) : '' };
}

/** Stores a statement. @returns the statement that another writer stored first, or this one */
export async function storeStatement(
  table: Table,
  org: OrganizationId,
  { sk: id, ...statement }: StatementItem,
  { writes, upload }: PreparedBody,
): Promise<StatementItem> {
  await upload();
  const item: Item = { ...statementKey(org, id), v: 1, ...statement };
  const outcome = await table.transact<Item | 'done' | undefined>([
    withRequest(putIfAbsent(item, (old) => old)),
    ...writes,
  ]);
  return StatementItem.parse(outcome === 'done' ? item : outcome);
}

/** A statement comes to the relay again if it is not in the log after this time. */
const SENT_AGAIN_AFTER: Duration = 60_000_000;

/** Hands a statement to the relay again, by a change of its item. Does nothing if that was done within the last minute. */
export const sendAgain = (
  table: Table,
  org: OrganizationId,
  { sk: id }: StatementItem,
  now: Micros,
): Promise<boolean> =>
  table.update(statementKey(org, id), change({ set: { sent: now } }, atMost({ sent: now - SENT_AGAIN_AFTER })));

/** Plans the erasure of the text of a statement. Digest and signature stay, because the log has them. */
export const planStatement = (
  org: OrganizationId,
  { sk: id, ...statement }: StatementItem,
  erased: Erasure,
): ErasurePlan => ({
  what: `statement ${id}`,
  removed: { [entryHash(statementEntry(statement)).toString('hex')]: ['statement'] },
  objects: erasedObjects([statement.payload], statementUser(id)),
  writes:
    statement.payload.store === 'erased'
      ? []
      : [
          {
            update: statementKey(org, id),
            ...change({ set: { payload: erasedBody(erased) } }, different({ 'payload.store': 'erased' })),
            refused: again,
          },
        ],
});
