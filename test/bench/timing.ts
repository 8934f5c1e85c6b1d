import { setImmediate as turn } from 'node:timers/promises';

/** The times of a series of requests, the stretch. */
export interface Stretch {
  count: number;
  seconds: number;
  /** Time of each request, in milliseconds. */
  millis: number[];
}

/** How long a stretch lasts: at least `millis` milliseconds and at least `atLeast` requests. */
export interface Span {
  millis: number;
  atLeast: number;
}

/**
 * Lets clients send requests in parallel until the span is over or there are no requests left.
 * @param next returns the next request, or undefined if there is none left
 */
export async function keepBusy(
  clients: number,
  { millis, atLeast }: Span,
  next: () => (() => Promise<void>) | undefined,
): Promise<Stretch> {
  const stretch: Stretch = { count: 0, seconds: 0, millis: [] };
  const began = performance.now();
  const client = async () => {
    while (performance.now() - began < millis || stretch.millis.length < atLeast) {
      const request = next();
      if (!request) return;
      const at = performance.now();
      await request();
      stretch.millis.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  stretch.seconds = (performance.now() - began) / 1_000;
  stretch.count = stretch.millis.length;
  await turn();
  return stretch;
}

export const rate = ({ count, seconds }: Stretch): number => count / seconds;

/** @param share 0.5 for the median; NaN where there are no values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
