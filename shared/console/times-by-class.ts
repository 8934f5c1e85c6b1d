/** Upper edges of the classes, in seconds: minutes for pipelines, days for what people have to do. */
const EDGES = [300, 900, 3_600, 14_400, 86_400, 259_200, 604_800, 2_592_000] as const;

/**
 * Counts lengths of time by class (rules/flows.md#frequency). Answers have these classes, and the browser makes them of times
 * that it computes itself.
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
