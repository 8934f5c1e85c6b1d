import { setImmediate as turn } from 'node:timers/promises';

/** The times of a series of requests, the stretch. */
export interface Stretch {
  count: number;
  seconds: number;
  /** Time of each request, in milliseconds. */
  millis: number[];
  /** CPU time of this process for each request, in milliseconds; empty with several clients. */
  cpu: number[];
}

export const emptyStretch = (): Stretch => ({ count: 0, seconds: 0, millis: [], cpu: [] });

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
  const stretch = emptyStretch();
  const began = performance.now();
  const client = async () => {
    while (performance.now() - began < millis || stretch.millis.length < atLeast) {
      const request = next();
      if (!request) return;
      const { millis, cpu } = await measure(request);
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
 * Lets one client send two kinds of requests in alternation, until the span is over for both. Other work of the machine
 * then affects both equally. The kind that comes first changes each time.
 */
export async function alternate(
  span: Span,
  [one, other]: readonly [() => () => Promise<void>, () => () => Promise<void>],
): Promise<[Stretch, Stretch]> {
  const ofOne = { next: one, stretch: emptyStretch() };
  const ofOther = { next: other, stretch: emptyStretch() };
  const began = performance.now();
  for (let i = 0; i < span.atLeast || performance.now() - began < 2 * span.millis; i += 1) {
    for (const { next, stretch } of i % 2 === 0 ? [ofOne, ofOther] : [ofOther, ofOne]) {
      const { millis, cpu } = await measure(next());
      add(stretch, { count: 1, seconds: millis / 1_000, millis: [millis], cpu: [cpu] });
    }
  }
  await turn();
  return [ofOne.stretch, ofOther.stretch];
}

/** Runs a request and measures its time and the CPU time of the whole process, in milliseconds. */
async function measure(request: () => Promise<void>): Promise<{ millis: number; cpu: number }> {
  const usage = process.cpuUsage();
  const at = performance.now();
  await request();
  const millis = performance.now() - at;
  const { user, system } = process.cpuUsage(usage);
  return { millis, cpu: (user + system) / 1_000 };
}

/** Adds the requests of a stretch to another one. */
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
