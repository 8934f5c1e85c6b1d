import { cpus, loadavg, totalmem } from 'node:os';
import type { Comparison, Figures, Use } from './figures.ts';
import type { LogUse } from './log-cost.ts';
import { logSection, logShortfalls } from './log-report.ts';
import { table } from './markdown.ts';
import { LARGE_REPORTS, LOG_TIMES } from './other-programs.ts';
import { costOfMillion, PRICES } from './prices.ts';
import { median, quantile, rate } from './timing.ts';

/**
 * Goals. `write` and `read` are shares of the rate of the bare calls, `cpuMillis` is CPU over the bare calls, `growth` is
 * the relative growth of units and time from the small to the large organization.
 */
export const GOALS = { write: 0.7, read: 0.8, cpuMillis: 1, growth: 0.1 } as const;
/** From this load on, figures of time are unreliable because of other work on the machine. */
const QUIET_LOAD = 1.5;
/** Memory of the functions of endpoint groups, in GB. */
const FUNCTION_GIGABYTES = 1;

export interface Run {
  command: string;
  trails: { small: number; large: number };
  /** Average load of the machine in the minute before the benchmark. */
  load: number;
  figures: readonly Figures[];
  logs: readonly LogUse[];
}

export const loadNow = (): number => loadavg()[0] ?? Number.NaN;

const number = (value: number, digits: number) => (Number.isNaN(value) ? '–' : value.toFixed(digits));
const row = (...cells: (string | number)[]) => cells;

const cpuOver = ({ single }: Figures) => median(single.turns.map(({ cpu }) => cpu));
const ratioOf = ({ turns }: Comparison) => median(turns.map(({ ratio }) => ratio));
const change = (large: number, small: number) => (small === 0 ? 0 : large / small - 1);
const percent = (share: number) => `${share >= 0 ? '+' : '−'}${Math.abs(share * 100).toFixed(0)} %`;
/** Relative growth from the small to the large organization. CPU is that of gateway, functions and client together. */
const growthOf = ({ growth }: Figures, of: 'time' | 'cpu') => median(growth.map((turn) => turn[of])) - 1;
const unitsOf = ({ read, write }: Use) => read + write;

/** @returns one sentence for each goal that a request misses; rates are compared with one client and with 16 */
export function shortfalls(figures: readonly Figures[]): string[] {
  return figures.flatMap((one) => {
    const { request, small, large } = one;
    const goal = GOALS[request.kind];
    const slow = (clients: number, ratio: number) =>
      ratio < goal
        ? [`${request.name}: ${number(ratio, 2)} of the bare rate with ${clients} clients, below ${goal}`]
        : [];
    const cpu = cpuOver(one);
    const time = growthOf(one, 'time');
    return [
      ...slow(1, ratioOf(one.single)),
      ...slow(16, ratioOf(one.sixteen)),
      ...(cpu > GOALS.cpuMillis ? [`${request.name}: ${number(cpu, 2)} ms of CPU more than the bare calls`] : []),
      ...(large.calls <= small.calls
        ? []
        : [`${request.name}: ${small.calls} calls in the small organization, ${large.calls} in the large one`]),
      ...(change(unitsOf(large), unitsOf(small)) > GOALS.growth
        ? [`${request.name}: ${unitsOf(small)} units in the small organization, ${unitsOf(large)} in the large one`]
        : []),
      ...(time > GOALS.growth
        ? [`${request.name}: ${percent(time)} time and ${percent(growthOf(one, 'cpu'))} CPU in the large organization`]
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
        percent(growthOf(one, 'time')),
        percent(growthOf(one, 'cpu')),
      );
    }),
  );

/** Names what falls short, because a reader looks for that first. */
const summaryOf = (missed: readonly string[]): string =>
  `**What falls short:** ${missed.length === 0 ? 'no goal of the tables' : 'the [missed goals](#missed-goals) at the end'}.`;

/** Returns the page of the benchmarks as Markdown. */
export function page({ command, trails, load, figures, logs }: Run): string {
  const missed = [...shortfalls(figures), ...logShortfalls(logs)];
  const noisy = load >= QUIET_LOAD;
  return `# Benchmarks

${summaryOf(missed)}

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

${logs.length === 0 ? '' : `${logSection(logs)}\n\n`}${LOG_TIMES}

${LARGE_REPORTS}

## Missed goals

${noisy ? 'Other work on the machine can cause missed goals of rates and times: each figure is one noisy run.\n\n' : ''}${missed.length === 0 ? 'None.' : missed.map((sentence) => `- ${sentence}`).join('\n')}
`;
}
