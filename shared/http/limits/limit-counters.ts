import * as z from 'zod';
import { type Micros, StoredMicros, secondsOf, toSeconds } from '#shared/base/time.ts';
import { change } from '#shared/table/expressions.ts';
import { limitKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';

/** A counter that nobody settled for this long means nothing any more, in seconds. */
const KEPT_SECONDS = 86_400;

/** What a container knows of an organization or a key: requests that it admitted, and tokens that are left. */
const Numbers = z.object({ requests: z.number(), writes: z.number() });
export type Numbers = z.infer<typeof Numbers>;

/** What all containers together admitted, and how many tokens the last of them believed to be left. */
const LimitCounter = z.object({
  v: z.literal(1),
  requests: z.number(),
  writes: z.number(),
  tokens: Numbers,
  at: StoredMicros,
});

/** The counter as it was before a container settled. */
interface Settled {
  /** What was admitted before. */
  admitted: Numbers;
  /** The tokens that the container before believed to be left, and the seconds since then. */
  last: { tokens: Numbers; seconds: number } | undefined;
}

/**
 * Adds what a container admitted to the counter of an organization or a key, in one call (rules/requests.md#limits-of-organizations).
 *
 * @param id of the organization, the key or the session
 * @returns what the others had admitted and believed before; a counter that is gone begins again
 */
export async function settleLimit(
  table: Table,
  id: string,
  { admitted, tokens, now }: { admitted: Numbers; tokens: Numbers; now: Micros },
): Promise<Settled> {
  const before = await table.updateReturningOld(
    limitKey(id),
    change({
      set: { v: 1, tokens, at: now, ttl: Math.ceil(toSeconds(now)) + KEPT_SECONDS },
      add: { ...admitted },
    }),
  );
  if (!before) return { admitted: { requests: 0, writes: 0 }, last: undefined };
  const { requests, writes, tokens: left, at } = LimitCounter.parse(before);
  return { admitted: { requests, writes }, last: { tokens: left, seconds: Math.max(0, secondsOf(now - at)) } };
}
