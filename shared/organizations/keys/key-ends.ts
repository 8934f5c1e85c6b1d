import { EPOCH, earliestOf, fromSeconds, type Micros, toSeconds } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Credential } from '#shared/callers/caller.ts';

/** When API keys end (rules/organizations.md#keys-from-a-sign-in). */

/** A key that a person issues or rotates after a sign-in ends after at most so many seconds: 90 days. */
const LONGEST_FROM_SIGN_IN = 7_776_000;
/** An end that is asked for may be so many seconds too late, because clocks differ. */
const CLOCK_DIFFERENCE = 600;

/**
 * Returns the latest end of the keys that a request issues or rotates, in microseconds; undefined = there is none. A key that came
 * from a sign-in hands its own latest end on, so that nobody gets a longer one with it.
 */
export function latestEndFor({ key, session }: Pick<Credential, 'key' | 'session'>, now: Micros): Micros | undefined {
  if (key) return key.endsBy;
  return session && fromSeconds(Math.floor(toSeconds(now)) + LONGEST_FROM_SIGN_IN);
}

/** Returns the earlier of two ends, of which each can be missing. */
export const earlierEnd = (one: Micros | undefined, other: Micros | undefined): Micros | undefined =>
  one === undefined || other === undefined ? (one ?? other) : earliestOf(one, other);

/**
 * Returns the end of a key.
 *
 * @param asked `expires_at` of the request: seconds; 0 = never; absent and null = `otherwise`, or the latest end if that is earlier
 * @param otherwise microseconds; 0 = never
 * @param latest microseconds; undefined = any end is possible
 * @returns microseconds; 0 = never
 * @throws ServiceError `invalid` `errors.expires_at` for an end that is not in the future, or later than the latest one
 */
export function endOfKey(
  asked: number | null | undefined,
  { otherwise, latest, now }: { otherwise: Micros; latest: Micros | undefined; now: Micros },
): Micros {
  if (asked === null || asked === undefined) return earlierEnd(otherwise || undefined, latest) ?? EPOCH;
  const at = fromSeconds(asked);
  if (at !== 0 && at <= now) throw invalidField('expires_at', 'Input should not be in the past', asked);
  if (latest === undefined) return at;
  if (at === 0 || at > latest + fromSeconds(CLOCK_DIFFERENCE)) {
    const why = `A key that comes from a sign-in ends after 90 days at most. Send a time until ${Math.floor(toSeconds(latest))}, or leave the field out`;
    throw invalidField('expires_at', why, asked);
  }
  return earliestOf(at, latest);
}
