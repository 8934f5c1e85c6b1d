import { cpus, loadavg, totalmem } from 'node:os';
import type { Beside, Figures, Use } from './figures.ts';
import { costOfMillion, PRICES } from './prices.ts';
import { median, quantile, rate } from './timing.ts';

/** Figures to reach. */
export const GOALS = { write: 0.7, read: 0.8, cpuMillis: 1, growth: 0.1 } as const;
/** Above this, other work on the machine makes figures of time unreliable. */
const QUIET_LOAD = 1.5;
/** GB of the functions of endpoint groups. */
const FUNCTION_GIGABYTES = 1;

export interface Run {
  command: string;
  trails: { small: number; large: number };
  /** Load of the machine over the minute before the benchmark began. */
  load: number;
  figures: readonly Figures[];
}

export const loadNow = (): number => loadavg()[0] ?? Number.NaN;

const number = (value: number, digits: number) => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[]) =>
  [row(...head), row(...head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows].join('\n');

const cpuOver = ({ single }: Figures) => median(single.turns.map(({ cpu }) => cpu));
const ratioOf = ({ turns }: Beside) => median(turns.map(({ ratio }) => ratio));
const change = (large: number, small: number) => (small === 0 ? 0 : large / small - 1);
const percent = (share: number) => `${share >= 0 ? '+' : '−'}${Math.abs(share * 100).toFixed(0)} %`;
/** From the small organization to the large one; of CPU, for gateway, functions and client together. */
const grownBy = ({ growth }: Figures, of: 'time' | 'cpu') => median(growth.map((turn) => turn[of])) - 1;
const unitsOf = ({ read, write }: Use) => read + write;

/** What does not reach the figures, as sentences; times are judged at both numbers of clients. */
export function shortfalls(figures: readonly Figures[]): string[] {
  return figures.flatMap((one) => {
    const { request, small, large } = one;
    const goal = GOALS[request.kind];
    const slow = (clients: number, ratio: number) =>
      ratio < goal
        ? [`${request.name}: ${number(ratio, 2)} of the bare rate with ${clients} clients, below ${goal}`]
        : [];
    const cpu = cpuOver(one);
    const time = grownBy(one, 'time');
    return [
      ...slow(1, ratioOf(one.single)),
      ...slow(16, ratioOf(one.sixteen)),
      ...(cpu > GOALS.cpuMillis ? [`${request.name}: ${number(cpu, 2)} ms of CPU more than the bare calls`] : []),
      ...(large.calls <= small.calls ? [] : [`${request.name}: ${small.calls} calls grow to ${large.calls}`]),
      ...(change(unitsOf(large), unitsOf(small)) > GOALS.growth
        ? [`${request.name}: ${unitsOf(small)} units become ${unitsOf(large)}`]
        : []),
      ...(time > GOALS.growth
        ? [`${request.name}: ${percent(time)} of time among more trails, ${percent(grownBy(one, 'cpu'))} of CPU`]
        : []),
    ];
  });
}

const client = (figures: readonly Figures[]) =>
  table(
    [
      'Request',
      'p50 ms',
      'p99 ms',
      'req/s, 1',
      'req/s, 16',
      'AWS calls',
      'in a row',
      'read units',
      'write units',
      '$/million',
    ],
    figures.map((one) => {
      const { request, large, http16, single } = one;
      const millis = median(single.functions.millis);
      return row(
        request.name,
        number(median(large.one.millis), 1),
        number(quantile(large.one.millis, 0.99), 1),
        number(rate(large.one), 0),
        number(rate(http16), 0),
        ...[large.calls, large.trips, large.read, large.write],
        number(costOfMillion({ ...large, millis, gigabytes: FUNCTION_GIGABYTES }), 2),
      );
    }),
  );

const limit = (figures: readonly Figures[]) =>
  table(
    [
      'Request',
      'req/s, 1',
      'bare, 1',
      'ratio',
      'req/s, 16',
      'bare, 16',
      'ratio',
      'CPU ms',
      'bare CPU ms',
      'overhead ms',
    ],
    figures.map((one) =>
      row(
        one.request.name,
        number(rate(one.single.functions), 0),
        number(rate(one.single.bare), 0),
        number(ratioOf(one.single), 2),
        number(rate(one.sixteen.functions), 0),
        number(rate(one.sixteen.bare), 0),
        number(ratioOf(one.sixteen), 2),
        number(median(one.single.functions.cpu), 2),
        number(median(one.single.bare.cpu), 2),
        number(cpuOver(one), 2),
      ),
    ),
  );

const growth = (figures: readonly Figures[]) =>
  table(
    ['Request', 'calls', 'read units', 'write units', 'p50 ms', 'change', 'change of CPU'],
    figures.map((one) => {
      const { request, small, large } = one;
      const [before, after] = [median(small.one.millis), median(large.one.millis)];
      return row(
        request.name,
        `${small.calls} → ${large.calls}`,
        `${small.read} → ${large.read}`,
        `${small.write} → ${large.write}`,
        `${number(before, 1)} → ${number(after, 1)}`,
        percent(grownBy(one, 'time')),
        percent(grownBy(one, 'cpu')),
      );
    }),
  );

/** The page of the benchmarks, as Markdown. */
export function page({ command, trails, load, figures }: Run): string {
  const missed = shortfalls(figures);
  const noisy = load >= QUIET_LOAD;
  return `# Benchmarks

\`${command}\` measures these figures and writes this page. It makes about ${figures[0]?.single.functions.count ?? 0} requests of each kind against the functions, the
gateway and the database of the local stack in memory, on ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}.
Load of the machine before the start: ${load.toFixed(1)}.
${noisy ? '\n**Other work ran on the machine at the same time**: times and rates are low and noisy; calls and units are exact.\n' : ''}
The relay and the notifier are separate functions and did not run. Authentication is cached for 30 seconds and not counted.
The local database says nothing about the times of the real one. Calls, units and ratios are comparable.

## As a client sees it

Over HTTP, in an organization of ${trails.large.toLocaleString('en')} trails. Units follow from the sizes of items by the database's published rules. Dollars
per million requests use the list prices of ${PRICES.region} on ${PRICES.date}, for the gateway, the function (${FUNCTION_GIGABYTES} GB, for the duration measured here), the
table and the bucket; without the relay, storage, logs and transfer. «AWS calls» counts all calls of a request, «in a row» how
many of them came one after another.

${client(figures)}

## Compared with bare calls

The functions run without HTTP. The same calls of the database and the bucket were recorded, and run again through the SDK
alone: the same number, with the same parallelism. Functions and bare calls alternate in turns. «Ratio» is the median time of the
bare calls divided by that of the functions, with the same number of clients. «CPU» is the time of the whole process per
request with one client. Ratio and overhead are computed for each turn; the table shows their medians.
Goals: at least ${GOALS.write} of the bare rate for writes and ${GOALS.read} for reads, at most ${GOALS.cpuMillis} ms of CPU more than the bare calls.

${limit(figures)}

## Growth

From an organization of ${trails.small.toLocaleString('en')} trails to one of ${trails.large.toLocaleString('en')}, in one table. One client asks both alternately.
Changes are computed from the medians of each turn; the table shows the median of these changes.

${growth(figures)}

## Missed goals

${noisy ? 'Other work on the machine can cause missed goals of rates and times: each figure is one noisy run.\n\n' : ''}${missed.length === 0 ? 'None.' : missed.map((sentence) => `- ${sentence}`).join('\n')}
`;
}
