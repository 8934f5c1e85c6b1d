import { EPOCH, latestOf, type Micros } from '#shared/base/time.ts';
import { STORED_ARRIVALS } from './plan.ts';

/**
 * Returns the arrivals of several subjects as those of one, the newest first, from the instant on since which each of them is known.
 *
 * @param times the stored arrivals of each, the newest first
 */
export function mergedArrivals(times: readonly (readonly Micros[])[]): Micros[] {
  const full = times.filter(({ length }) => length >= STORED_ARRIVALS);
  const known = latestOf(EPOCH, ...full.map((one) => one.at(-1) ?? EPOCH));
  return times
    .flat()
    .filter((at) => at >= known)
    .toSorted((one, other) => other - one);
}
