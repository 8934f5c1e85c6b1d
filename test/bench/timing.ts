import { setImmediate as turn } from 'node:timers/promises';

/** What a stretch of requests took. */
export interface Stretch {
  count: number;
  seconds: number;
  /** Of each request, in milliseconds. */
  millis: number[];
  /** CPU time of this process per request, in milliseconds; only where one client asks. */
  cpu: number[];
}

export const noStretch = (): Stretch => ({ count: 0, seconds: 0, millis: [], cpu: [] });

/** How long clients are kept busy: for so long, and until so many requests are done. */
export interface Span {
  millis: number;
  atLeast: number;
}

/**
 * Keeps so many clients busy until the span or the work is over.
 * @param next gives the next request, or undefined where there is none left
 */
export async function busy(
  clients: number,
  { millis, atLeast }: Span,
  next: () => (() => Promise<void>) | undefined,
): Promise<Stretch> {
  const stretch = noStretch();
  const began = performance.now();
  const client = async () => {
    while (performance.now() - began < millis || stretch.millis.length < atLeast) {
      const request = next();
      if (!request) return;
      const cpu = process.cpuUsage();
      const at = performance.now();
      await request();
      stretch.millis.push(performance.now() - at);
      const used = process.cpuUsage(cpu);
      if (clients === 1) stretch.cpu.push((used.user + used.system) / 1_000);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  stretch.seconds = (performance.now() - began) / 1_000;
  stretch.count = stretch.millis.length;
  await turn();
  return stretch;
}

export function add(to: Stretch, { count, seconds, millis, cpu }: Stretch): void {
  to.count += count;
  to.seconds += seconds;
  to.millis.push(...millis);
  to.cpu.push(...cpu);
}

export const rate = ({ count, seconds }: Stretch): number => count / seconds;

/** @param share 0.5 for the median; NaN where there are no values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
