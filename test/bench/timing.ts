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
      const { millis, cpu } = await timed(request);
      stretch.millis.push(millis);
      if (clients === 1) stretch.cpu.push(cpu);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  stretch.seconds = (performance.now() - began) / 1_000;
  stretch.count = stretch.millis.length;
  await turn();
  return stretch;
}

/**
 * One client asks for two things by turns, each as often as the other, until both have had their span: what else goes on
 * in the machine meets both alike. Each comes first every other time.
 */
export async function byTurns(
  span: Span,
  [one, other]: readonly [() => () => Promise<void>, () => () => Promise<void>],
): Promise<[Stretch, Stretch]> {
  const ofOne = { next: one, stretch: noStretch() };
  const ofOther = { next: other, stretch: noStretch() };
  const began = performance.now();
  for (let i = 0; i < span.atLeast || performance.now() - began < 2 * span.millis; i += 1) {
    for (const { next, stretch } of i % 2 === 0 ? [ofOne, ofOther] : [ofOther, ofOne]) {
      const { millis, cpu } = await timed(next());
      add(stretch, { count: 1, seconds: millis / 1_000, millis: [millis], cpu: [cpu] });
    }
  }
  await turn();
  return [ofOne.stretch, ofOther.stretch];
}

/** In milliseconds; the CPU time is that of the whole process. */
async function timed(request: () => Promise<void>): Promise<{ millis: number; cpu: number }> {
  const usage = process.cpuUsage();
  const at = performance.now();
  await request();
  const millis = performance.now() - at;
  const { user, system } = process.cpuUsage(usage);
  return { millis, cpu: (user + system) / 1_000 };
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
