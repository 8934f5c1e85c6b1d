import * as z from 'zod';
import { stringify } from '#shared/base/json-text.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Table, Write } from './table.ts';

/** How long an answer is given again, in microseconds (design §3, «Idempotency»). */
export const REMEMBERED: Micros = 24 * 3600 * 1_000_000;
/** The database's own clean-up may come later than the record's end, never before it. */
const CLEAN_UP_AFTER_SECONDS = 3600;

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** What an earlier request with the same Idempotency-Key means for this one. */
export type EarlierRequest = { answered: StoredAnswer } | { mismatch: true };

const ClaimRecord = z.object({
  v: z.literal(1),
  digest: z.string(),
  status: z.int(),
  /** JSON text. */
  body: z.string(),
  expiresAt: z.int(),
});

function earlier(item: Item | undefined, digest: string): EarlierRequest {
  const { digest: first, status, body } = ClaimRecord.parse(item);
  return first === digest ? { answered: { status, body: JSON.parse(body) } } : { mismatch: true };
}

/** @returns what was answered to an earlier request under the claim's key; undefined when there was none in 24 hours */
export async function earlierRequest(
  table: Table,
  claim: IdempotencyClaim,
  now: Micros,
): Promise<EarlierRequest | undefined> {
  const item = await table.get(claim.key);
  if (!item || ClaimRecord.parse(item).expiresAt <= now) return undefined;
  return earlier(item, claim.digest);
}

/**
 * The write that remembers an answer, for the transaction that the answer is about: nothing without a claim. It is
 * refused where a request under the same key came first; the transaction's outcome then says what that one was
 * answered, or that it was another request.
 *
 * @param answer what the caller gets when the transaction holds; small, since it becomes part of an item
 */
export function claimWrites(
  claim: IdempotencyClaim | undefined,
  answer: StoredAnswer,
  now: Micros,
): Write<EarlierRequest>[] {
  if (!claim) return [];
  const expiresAt = now + REMEMBERED;
  return [
    {
      put: {
        ...claim.key,
        v: 1,
        digest: claim.digest,
        status: answer.status,
        body: stringify(answer.body),
        expiresAt,
        ttl: Math.ceil(expiresAt / 1e6) + CLEAN_UP_AFTER_SECONDS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
      refused: (old) => earlier(old, claim.digest),
    },
  ];
}

export interface IdempotencyClaim {
  /** Partition and sort key of the claim's item. */
  key: { pk: string; sk: string };
  /** SHA-256 over the parsed request. */
  digest: string;
}
