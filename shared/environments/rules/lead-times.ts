import { type Micros, toSeconds } from '#shared/base/time.ts';

/** Returns the seconds from the commit to the start; null if the report does not tell when the commit was. */
export const leadTimeOf = ({ at, committed }: { at: Micros; committed: number | null }): number | null =>
  committed === null ? null : toSeconds(at) - committed;

/**
 * Lead times of deployments: from the commit to the start (rules/environments.md#deployments).
 * @param seconds the known lead times, in any order
 * @returns seconds; null if no lead time is known
 */
export function leadTimes(seconds: readonly number[]) {
  const ascending = seconds.toSorted((a, b) => a - b);
  // The smallest value that is at least as large as this share of all values.
  const percentile = (share: number) => ascending[Math.ceil(share * ascending.length) - 1] ?? null;
  return { known: ascending.length, median: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) };
}
