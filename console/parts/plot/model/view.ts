import type { Period } from './timeline.ts';

/** The shortest part of a period that a plot shows, in seconds. */
const SHORTEST = 300;

const clamped = ({ from, to }: Period, whole: Period): Period => {
  const length = Math.min(Math.max(to - from, Math.min(SHORTEST, whole.to - whole.from)), whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
};

/** Makes the view longer or shorter. @param at an instant that keeps its place, such as the one under the cursor */
export function zoomed(view: Period, whole: Period, factor: number, at = (view.from + view.to) / 2): Period {
  const from = at - (at - view.from) * factor;
  return clamped({ from, to: from + (view.to - view.from) * factor }, whole);
}

/** Moves the view. @param part of its length, negative for earlier */
export function panned(view: Period, whole: Period, part: number): Period {
  const by = (view.to - view.from) * part;
  return clamped({ from: view.from + by, to: view.to + by }, whole);
}

/** Moves the view as little as needed to show a stretch, or the begin of one that is longer than the view. */
export function showing(view: Period, whole: Period, { from, to }: Period): Period {
  const length = view.to - view.from;
  if (from < view.to && to > view.from) return view;
  const start = from >= view.to ? Math.min(to, from + length) - length : from;
  return clamped({ from: start, to: start + length }, whole);
}

/** A part that somebody marked, in either direction. What lies outside of the whole does not count. */
export function selected(one: number, other: number, whole: Period): Period {
  const inside = (at: number) => Math.min(Math.max(at, whole.from), whole.to);
  return clamped({ from: inside(Math.min(one, other)), to: inside(Math.max(one, other)) }, whole);
}
