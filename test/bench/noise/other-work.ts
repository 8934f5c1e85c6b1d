/** Decides from samples of processor time whether processes other than those of the benchmark were at work. */

/** Processor time until one moment, in ticks of the system. */
export interface Sample {
  /** Time of all processors, idle or busy. */
  capacity: number;
  /** Time in which processors did work. */
  busy: number;
  /** Time in which the processors of this machine ran other virtual machines. */
  stolen: number;
  /** Time of the benchmark's processes, also of those that have ended. */
  own: number;
  /** Time of each other process. */
  others: readonly { pid: number; name: string; ticks: number }[];
}

/** Other work between the first sample and the last one. All shares are shares of all processors. */
export interface OtherWork {
  share: number;
  /** The share in the busiest stretch between two samples. */
  worst: number;
  /** The busiest processes, with the most work first. */
  busiest: { name: string; share: number }[];
}

/** The most other work that figures of time bear: in the whole of a measurement, and between two samples. */
export const MOST = { share: 0.05, worst: 0.25 } as const;

const NAMED = 3;
/** A process with a smaller share is not named. */
const SMALLEST = 0.002;

/**
 * @param samples in the order of time, at least two
 * @param shortest stretches between two samples with fewer ticks than this have no influence on `worst`
 */
export function otherWork(samples: readonly Sample[], shortest = 0): OtherWork {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || first === last) throw new Error('Other work is seen between two samples');
  const stretches = samples
    .slice(1)
    .flatMap((sample, i) => [[samples[i] ?? first, sample] as const])
    .filter(([from, to]) => to.capacity - from.capacity >= shortest);
  const share = shareOf(first, last);
  return {
    share,
    worst: Math.max(share, ...stretches.map(([from, to]) => shareOf(from, to))),
    busiest: busiestOf(samples),
  };
}

/** The samples of processes are not taken at one instant, so that the benchmark can seem to have worked more than all. */
function shareOf(from: Sample, to: Sample): number {
  const foreign = to.busy - from.busy - (to.own - from.own);
  return Math.max(0, foreign) / Math.max(1, to.capacity - from.capacity);
}

/** A process can begin and end between the first sample and the last one, so each stretch is added. */
function busiestOf(samples: readonly Sample[]): OtherWork['busiest'] {
  const work = new Map<string, number>();
  const add = (name: string, ticks: number) => void (ticks > 0 && work.set(name, (work.get(name) ?? 0) + ticks));
  let capacity = 0;
  for (const [i, to] of samples.entries()) {
    const from = samples[i - 1];
    if (!from) continue;
    capacity += to.capacity - from.capacity;
    const before = new Map(from.others.map(({ pid, ticks }) => [pid, ticks]));
    for (const { pid, name, ticks } of to.others) add(name, ticks - (before.get(pid) ?? 0));
    add('other virtual machines', to.stolen - from.stolen);
  }
  return [...work]
    .map(([name, ticks]) => ({ name, share: ticks / Math.max(1, capacity) }))
    .filter(({ share }) => share >= SMALLEST)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, NAMED);
}

export const isQuiet = ({ share, worst }: OtherWork): boolean => share <= MOST.share && worst <= MOST.worst;

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Describes other work as a clause without a full stop. */
export function describeWork({ share, worst, busiest }: OtherWork): string {
  const names = busiest.map((one) => `${one.name} ${percent(one.share)}`).join(', ');
  return `${percent(share)} of the processors, ${percent(worst)} at the worst${names === '' ? '' : ` (${names})`}`;
}
