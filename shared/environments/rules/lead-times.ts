/** Lead times of deployments: from the commit to the start (rules/environments.md#deployments). */
interface LeadTimes {
  known: number;
  /** Seconds; null if no lead time is known. */
  median: number | null;
  p90: number | null;
  p99: number | null;
}

/** @param seconds the known lead times, in any order */
export function leadTimes(seconds: readonly number[]): LeadTimes {
  const ascending = seconds.toSorted((a, b) => a - b);
  // The smallest value that is at least as large as this share of all values.
  const percentile = (share: number) => ascending[Math.ceil(share * ascending.length) - 1] ?? null;
  return { known: ascending.length, median: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) };
}
