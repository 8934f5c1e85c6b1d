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

/** Upper edges of the classes, in seconds: minutes for pipelines, days for what people have to do. */
const EDGES = [300, 900, 3_600, 14_400, 86_400, 259_200, 604_800, 2_592_000] as const;

/**
 * Counts lengths of time by class (rules/flows.md#frequency).
 *
 * @param seconds lengths of time, in any order
 * @returns the classes in ascending order; the last one has no upper edge
 */
export function timesByClass(seconds: readonly number[]): { up_to: number | null; count: number }[] {
  const edges: readonly number[] = [...EDGES, Number.POSITIVE_INFINITY];
  return edges.map((edge, n) => ({
    up_to: Number.isFinite(edge) ? edge : null,
    count: seconds.filter((one) => one <= edge && (n === 0 || one > (edges[n - 1] ?? 0))).length,
  }));
}
