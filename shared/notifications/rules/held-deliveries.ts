import type { Micros } from '#shared/base/time.ts';
import type { Delivery, TargetHealth } from './records.ts';

const SECOND: Micros = 1_000_000;
const SHORTEST: Micros = 30 * SECOND;
const LONGEST: Micros = 900 * SECOND;
/** A delivery is held for a quarter of its age. The longer a target is down, the rarer its deliveries are looked at. */
const PART_OF_AGE = 4;
const SPREAD = 0.2;
/**
 * A held delivery is given up if its target accepted nothing for this time. It is longer than all delays of a delivery
 * together.
 */
const GIVEN_UP_AFTER: Micros = 24 * 3600 * SECOND;

/**
 * Computes the next due time of a delivery whose target has an open circuit (`rules/notifications.md#holding`). The
 * time is spread at random, so that held deliveries do not all become due together.
 * @param created when the delivery was created
 * @param probeAt when the target may be probed next
 * @param random returns a number of at least 0 and below 1
 * @returns an instant that is never before `probeAt`
 */
export function holdUntil({ created }: Pick<Delivery, 'created'>, probeAt: Micros, now: Micros, random: () => number) {
  const hold = Math.min(Math.max((now - created) / PART_OF_AGE, SHORTEST), LONGEST);
  return Math.max(probeAt, now + Math.round(hold * (1 - SPREAD + 2 * SPREAD * random())));
}

/**
 * Says whether a held delivery is given up: it is older than {@link GIVEN_UP_AFTER}, and its target accepted nothing in
 * that time (`rules/notifications.md#holding`).
 */
export const isGivenUp = (
  { created }: Pick<Delivery, 'created'>,
  { lastSuccess }: Pick<TargetHealth, 'lastSuccess'>,
  now: Micros,
): boolean => Math.max(created, lastSuccess) <= now - GIVEN_UP_AFTER;
