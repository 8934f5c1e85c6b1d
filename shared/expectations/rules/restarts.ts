import type { Micros } from '#shared/base/time.ts';

/**
 * Whether a start continues an earlier one of the same artifact in the same environment: no decision had met the earlier one when
 * the artifact started again, so nothing new is expected (rules/expectations.md#restarts).
 *
 * @param met when the earlier start was met; null = never
 */
export const isRestart = (met: Micros | null, at: Micros): boolean => met === null || met > at;

/** A start, with what it is about. */
interface Start {
  environment: string;
  fingerprint: string;
  at: Micros;
  number: number;
}

/**
 * Returns the starts that continue none, in their order.
 *
 * @param met when each start was met, in the order of `starts`
 */
export function withoutRestarts<S extends Start>(
  starts: readonly S[],
  met: readonly (Micros | null)[],
): { start: S; met: Micros | null }[] {
  const all = starts.map((start, i) => ({ start, met: met[i] ?? null }));
  const before = new Map<string, Micros | null>();
  const inOrder = all.toSorted((one, other) => one.start.at - other.start.at || one.start.number - other.start.number);
  const restarts = new Set<S>();
  for (const { start, met: metAt } of inOrder) {
    const key = `${start.environment}#${start.fingerprint}`;
    const earlier = before.get(key);
    if (earlier !== undefined && isRestart(earlier, start.at)) restarts.add(start);
    before.set(key, metAt);
  }
  return all.filter(({ start }) => !restarts.has(start));
}

/**
 * Returns the ranges of events that lie before some events, ascending. Ranges that overlap or touch become one.
 *
 * @param numbers of the events, in any order
 * @param many how many events before each of them
 */
export function rangesBefore(numbers: readonly number[], many: number): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const [from, to] = [Math.max(1, number - many), number - 1];
    const last = ranges.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else if (from <= to) ranges.push({ from, to });
  }
  return ranges;
}
