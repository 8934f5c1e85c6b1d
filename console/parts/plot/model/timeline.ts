import { type StateName, worstOf } from '../../../model/states.ts';

/** A stretch of time, in seconds. */
export interface Period {
  from: number;
  to: number;
}

/** A state that held from one time to another, in seconds. */
export interface Interval {
  from: number;
  to: number;
  state: StateName;
}

/** A rectangle of the strip: columns of pixels, the worst state in them, and the time that they stand for. */
interface Block extends Interval {
  x: number;
  width: number;
}

/**
 * Joins neighbours with the same state, in the order of time. Intervals without length are left out: they held for no
 * time. Gaps stay gaps.
 */
export function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of intervals.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && last.state === interval.state && interval.from <= last.to) last.to = Math.max(last.to, interval.to);
    else result.push({ ...interval });
  }
  return result;
}

/**
 * Draws intervals into columns of pixels. A column shows the worst state that held in it, so that three minutes of failure
 * in ninety days are still seen. Neighbouring columns with the same state become one block, so there are never more
 * blocks than columns.
 */
export function blocksOf(
  intervals: readonly Interval[],
  period: { from: number; to: number },
  columns: number,
): Block[] {
  const seconds = (period.to - period.from) / columns;
  if (!(seconds > 0)) return [];
  const worst = new Array<StateName | undefined>(columns);
  for (const { from, to, state } of intervals) {
    if (to <= period.from || from >= period.to) continue;
    const first = Math.max(0, Math.floor((from - period.from) / seconds));
    const last = Math.min(columns - 1, Math.ceil((to - period.from) / seconds) - 1);
    for (let column = first; column <= Math.max(first, last); column += 1) {
      const known = worst[column];
      worst[column] = known === undefined ? state : worstOf(known, state);
    }
  }
  return blocksFromColumns(worst, period.from, seconds);
}

function blocksFromColumns(worst: readonly (StateName | undefined)[], start: number, seconds: number): Block[] {
  const blocks: Block[] = [];
  for (let x = 0; x < worst.length; x += 1) {
    const state = worst[x];
    if (state === undefined) continue;
    const last = blocks.at(-1);
    if (last && last.state === state && last.x + last.width === x) {
      last.width += 1;
      last.to += seconds;
    } else blocks.push({ x, width: 1, state, from: start + x * seconds, to: start + (x + 1) * seconds });
  }
  return blocks;
}

/** How long each state held within a period, in seconds. */
export function timeByState(
  intervals: readonly Interval[],
  period: { from: number; to: number },
): Map<StateName, number> {
  const times = new Map<StateName, number>();
  for (const { from, to, state } of intervals) {
    const seconds = Math.min(to, period.to) - Math.max(from, period.from);
    if (seconds > 0) times.set(state, (times.get(state) ?? 0) + seconds);
  }
  return times;
}
