import { table } from '../page/markdown.ts';
import { spreadText } from '../spread.ts';
import type { Compared, LimitResult, WarmResult } from './results.ts';

/** The section of the page about bare calls. */

/** Shares of the rate of the bare calls, and milliseconds of processor time over them. */
export const GOALS = { write: 0.7, read: 0.8, cpuMillis: 1 } as const;

export function missedLimits({ warm }: LimitResult): string[] {
  return warm.flatMap(({ request, kind, one, sixteen }) => {
    const slow = (clients: string, { ratio }: Compared) =>
      ratio.median < GOALS[kind]
        ? [`${request}: ${spreadText(ratio, 2)} of the bare rate with ${clients}, below ${GOALS[kind]}`]
        : [];
    const { overhead } = one;
    return [
      ...slow('one client', one),
      ...slow('16 clients', sixteen),
      ...(overhead.median > GOALS.cpuMillis
        ? [`${request}: ${spreadText(overhead, 2)} ms of processor time more than the bare calls`]
        : []),
    ];
  });
}

export function limitSection({ trails, rounds, starts, warm, cold }: LimitResult): string {
  return `## Compared with bare calls

What the service adds to its own calls of the database and the bucket. Each group of functions runs in a process of its own,
from the bundle that is deployed, and is called with the event of the gateway. The calls of each request were recorded, and bare
calls repeat them in another process: the same number, with the same parallelism, from a bundle built in the same way. Database
and bucket have processes of their own. The organization has ${trails.toLocaleString('en')} trails.

- «Bare»: the bare calls have the client settings of the functions.
- «SDK as it comes»: the bare calls have clients without settings.
- «Ratio»: the rate of the function divided by the rate of the bare calls, computed for each of ${rounds} rounds.
- «CPU»: processor time of the process for a request; «over bare» is the difference to the bare calls.

Goals: at least ${GOALS.write} of the bare rate for writes and ${GOALS.read} for reads, at most ${GOALS.cpuMillis} ms of processor time more than the bare calls.
The comparison does not judge how many calls a request makes; the floors above do that.

### Warm, one client

${warmTable(warm, 'one')}

### Warm, 16 clients

In one process, as one instance of a function never works. The processor is busy all the time, so that the ratio shows the
processor time of the function.

${warmTable(warm, 'sixteen')}

### Cold

Milliseconds from the start of the process to the first answer, for ${starts} starts of each, in turns. The first request also reads the
key of the caller and the membership. The bare bundle makes the same calls. Starting Node is part of both.

${table(
  ['Function, request', 'archive KiB', 'calls', 'function ms', 'bare ms', 'times'],
  cold.map(({ group, request, size, calls, functions, tuned, ratio }) => [
    `${group}: ${request}`,
    (size / 1024).toFixed(0),
    calls,
    spreadText(functions, 0),
    spreadText(tuned, 0),
    spreadText(ratio, 2),
  ]),
)}`;
}

const warmTable = (results: readonly WarmResult[], clients: 'one' | 'sixteen'): string =>
  table(
    ['Request', 'calls', 'req/s', 'bare', 'ratio', 'SDK as it comes', 'ratio', 'CPU ms', 'over bare ms'],
    results.map((result) => {
      const { functions, tuned, standard, ratio, standardRatio, overhead } = result[clients];
      return [
        result.request,
        result.calls,
        spreadText(functions.rate, 0),
        spreadText(tuned.rate, 0),
        spreadText(ratio, 2),
        spreadText(standard.rate, 0),
        spreadText(standardRatio, 2),
        spreadText(functions.cpu, 2),
        spreadText(overhead, 2),
      ];
    }),
  );
