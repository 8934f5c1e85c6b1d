import type { Micros } from '#shared/base/time.ts';
import type { Delivery, TargetHealth } from '#shared/notifications/rules/records.ts';

const SECOND: Micros = 1_000_000;
const SHORTEST: Micros = 30 * SECOND;
const LONGEST: Micros = 900 * SECOND;
/** A delivery is held for about this part of its age more, so that a target that is down for long costs ever less. */
const PART_OF_AGE = 4;
const SPREAD = 0.2;
/** A target that took nothing for so long is not waited for: longer than all delays of a delivery together. */
export const GIVEN_UP_AFTER: Micros = 24 * 3600 * SECOND;

/**
 * Until when a delivery is held back whose target's circuit is open (design §6): past the next probe, and spread, so
 * that what was held does not come back together.
 */
export function heldUntil({ created }: Pick<Delivery, 'created'>, probeAt: Micros, now: Micros, random: () => number) {
  const hold = Math.min(Math.max((now - created) / PART_OF_AGE, SHORTEST), LONGEST);
  return Math.max(probeAt, now + Math.round(hold * (1 - SPREAD + 2 * SPREAD * random())));
}

/** Whether waiting has an end: neither the delivery is of the last day, nor did the target take anything in it. */
export const isGivenUp = (
  { created }: Pick<Delivery, 'created'>,
  { lastSuccess }: Pick<TargetHealth, 'lastSuccess'>,
  now: Micros,
): boolean => Math.max(created, lastSuccess) <= now - GIVEN_UP_AFTER;
