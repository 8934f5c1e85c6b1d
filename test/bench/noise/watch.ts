import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWork, isQuiet, type OtherWork, otherWork, type Sample } from './other-work.ts';
import { hasProcessorTimes, takeSample } from './processor-time.ts';

/** Watches the machine for other work, before a part is measured and while it is measured. */

const BEFORE_MILLIS = 3_000;
const EVERY_MILLIS = 10_000;
/** Half of the time between two samples, in ticks of one processor: a shorter stretch says little. */
const SHORTEST_TICKS = 500;
/** Where the system has no times of processes, the average load of the last minute decides before the first part. */
const MOST_LOAD = 0.5;

/** What was seen: other work, or the load where the system reports no processor times. */
export type Seen = { work: OtherWork } | { load: number };

export const wasQuiet = (seen: Seen): boolean => ('work' in seen ? isQuiet(seen.work) : seen.load <= MOST_LOAD);

export const describeSeen = (seen: Seen): string =>
  'work' in seen ? describeWork(seen.work) : `an average load of ${seen.load.toFixed(1)} in the minute before`;

export const loadNow = (): number => loadavg()[0] ?? Number.NaN;

/** The load before the benchmark itself adds to it. */
const loadBefore = loadNow();

/** Looks at the machine while the benchmark does nothing. */
export async function watchIdle(): Promise<Seen> {
  if (!hasProcessorTimes()) return { load: loadBefore };
  const first = takeSample();
  await sleep(BEFORE_MILLIS);
  return { work: otherWork([first, takeSample()]) };
}

/** Looks at the machine while `work` runs. */
export async function watchDuring<T>(work: () => Promise<T>): Promise<{ result: T; seen: Seen }> {
  if (!hasProcessorTimes()) return { result: await work(), seen: { load: loadBefore } };
  const samples: Sample[] = [takeSample()];
  const timer = setInterval(() => samples.push(takeSample()), EVERY_MILLIS);
  try {
    const result = await work();
    samples.push(takeSample());
    return { result, seen: { work: otherWork(samples, SHORTEST_TICKS) } };
  } finally {
    clearInterval(timer);
  }
}
