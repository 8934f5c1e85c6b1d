import { cpus, loadavg, totalmem } from 'node:os';
import type { Beside, Figures, Use } from './figures.ts';
import { costOfMillion, PRICES } from './prices.ts';
import { median, quantile, rate } from './timing.ts';

/** Figures to reach (issue «Figures and proof»). */
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

Made by \`${command}\`, which writes this page: ${figures[0]?.single.functions.count ?? 0} or so requests of each kind, against the functions, the
gateway and the database of the local stack in memory, on ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}.
Load of the machine before it began: ${load.toFixed(1)}.
${noisy ? '\n**Other work ran on the machine meanwhile**: times and rates are low and noisy; calls and units are exact.\n' : ''}
The relay and the notifier are functions of their own and were not running. Authentication is remembered for 30 seconds
and not counted. The local database is no measure of the real one; what carries over are calls, units and ratios.

## As a client sees it

Over HTTP, in an organization of ${trails.large.toLocaleString('en')} trails. Units by the database's published rules, from the sizes of items. Dollars
per million requests: list prices of ${PRICES.region} on ${PRICES.date}, for the gateway, the function (${FUNCTION_GIGABYTES} GB, busy as long as here), the table and
the bucket; not the relay, storage, logs and transfer.

${client(figures)}

## Beside the limit

The functions without HTTP, and the very same calls of database and bucket, recorded and made again bare through the SDK
as it comes: as many, as much side by side, in turns. The ratio is that of the median times with as many clients, CPU that of the whole process per request with one
client; ratio and overhead are those of each turn, and of them the median.
To reach: ${GOALS.write} of the bare rate for writes, ${GOALS.read} for reads, ${GOALS.cpuMillis} ms of CPU over the bare calls.

${limit(figures)}

## Growth

From an organization of ${trails.small.toLocaleString('en')} trails to one of ${trails.large.toLocaleString('en')}, in one table, asked one
after the other by one client. The changes are those of the medians of each turn, and of them the median.

${growth(figures)}

## What falls short

${noisy ? 'What is said of rates and times here may be the other work on the machine: each is one noisy run.\n\n' : ''}${missed.length === 0 ? 'Nothing.' : missed.map((sentence) => `- ${sentence}`).join('\n')}
`;
}
