import * as z from 'zod';
import { stringify } from '#shared/base/json-text.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { Item, Key, Table, Write } from './table.ts';

/** How long the first answer is repeated, in microseconds (rules/requests.md#idempotency-key). */
const REMEMBERED: Duration = 24 * 3600 * 1_000_000;
/** The database deletes an item some time after its time to live, never before it. */
const CLEAN_UP_AFTER_SECONDS = 3600;

/** What a request made: the path parameters of the endpoint that reads it, and its id (rules/requests.md#handles). */
export type Made = Readonly<Record<string, string>>;

/**
 * Links that a request appended to the chain of one trail or environment (rules/log.md#headers-of-writes). Their numbers
 * follow on one another.
 */
export interface Appended {
  /** Number of the first link. */
  first: number;
  /** The hash of each link. */
  hashes: readonly Uint8Array[];
}

export interface StoredAnswer {
  status: number;
  body: unknown;
  made?: Made | undefined;
  appended?: Appended | undefined;
}

/** The result of an earlier request with the same Idempotency-Key: its answer, or a mismatch of the requests. */
export type EarlierRequest = { answered: StoredAnswer } | { mismatch: true };

/**
 * An earlier request with the same Idempotency-Key was answered while this one was handled. The transaction wrote nothing.
 * The door answers what the earlier request was answered.
 */
export class AnsweredBefore extends Error {
  readonly earlier: EarlierRequest;

  constructor(earlier: EarlierRequest) {
    super('An earlier request with the same Idempotency-Key was answered');
    this.name = 'AnsweredBefore';
    this.earlier = earlier;
  }
}

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const ClaimRecord = z.object({
  v: z.literal(1),
  digest: z.string(),
  status: z.int(),
  /** JSON text. */
  body: z.string(),
  made: z.record(z.string(), z.string()).optional(),
  appended: z.object({ first: z.int(), hashes: z.array(Bytes) }).optional(),
  expiresAt: z.int().brand<'Micros'>(),
});

function earlier(item: Item | undefined, digest: string): EarlierRequest {
  const { digest: first, status, body, made, appended } = ClaimRecord.parse(item);
  return first === digest ? { answered: { status, body: JSON.parse(body), made, appended } } : { mismatch: true };
}

/**
 * Reads the result of an earlier request under the key of the claim.
 * @returns undefined if there was none in the last 24 hours
 */
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
 * Returns the write that stores an answer in the same transaction; nothing without a claim. If another request under the
 * same key was first, the transaction throws {@link AnsweredBefore}.
 * @param answer the answer if the transaction succeeds; it must be small, because it becomes part of an item
 */
export function claimWrites(claim: IdempotencyClaim | undefined, answer: StoredAnswer, now: Micros): Write[] {
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
        ...(answer.made && { made: answer.made }),
        ...(answer.appended && { appended: answer.appended }),
        expiresAt,
        ttl: Math.ceil(expiresAt / 1e6) + CLEAN_UP_AFTER_SECONDS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
      refused: (old) => {
        throw new AnsweredBefore(earlier(old, claim.digest));
      },
    },
  ];
}

export interface IdempotencyClaim {
  /** Key of the claim's item. */
  key: Key;
  /** SHA-256 of the parsed request. */
  digest: string;
}

/** Makes the transaction of a request that changes nothing: only its claim. Without a claim nothing is stored. */
export const storeClaim = async (table: Table, claim: readonly Write[]): Promise<'done'> =>
  claim.length === 0 ? 'done' : table.transact(claim);
