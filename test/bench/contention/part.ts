import { table } from '../page/markdown.ts';
import type { Part } from '../part.ts';
import { type Spread, spreadText } from '../spread.ts';
import { measureContention } from './measure.ts';
import type { ContentionResult, WritersResult } from './results.ts';

export const contentionPart: Part<ContentionResult> = {
  name: 'contention',
  measure: measureContention,
  section,
  missed,
};

/** A writer that loses a race retries (rules/storage.md#lost-races), so that no write is refused. */
function missed({ scenarios }: ContentionResult): string[] {
  return scenarios.flatMap(({ name, same, different }) =>
    Object.entries({ 'the same': same, different }).flatMap(([which, { statuses }]) => {
      const refused = Object.entries(statuses).filter(([status]) => Number(status) >= 300);
      return refused.map(([status, count]) => `${name}: ${which}: ${count} writes were answered ${status}`);
    }),
  );
}

const percent = ({ median, low, high }: Spread): string =>
  `${spreadText({ median: median * 100, low: low * 100, high: high * 100 }, 0)} %`;

const row = (name: string, { rate, median, p99, retried, refused }: WritersResult) => [
  name,
  spreadText(rate, 0),
  spreadText(median, 0),
  spreadText(p99, 0),
  percent(retried),
  percent(refused),
];

function section({ writers, rounds, seconds, scenarios }: ContentionResult): string {
  return `## Contention

${writers} writers write at the same time, each without a pause: all to the same trail, environment, policy or flow, and in turns to ${writers}
different ones. Each writer has a process of its own with the function's bundle, like an instance of the function in a region. A
round lasts ${seconds} s, and there are ${rounds} rounds of each. «Retried» is the share of requests that made more AWS calls than a request
without a competitor, «refused» the share of requests that were answered 409 or 503.

${table(
  ['Writes', 'answered/s', 'p50 ms', 'p99 ms', 'retried', 'refused'],
  scenarios.flatMap(({ name, same, different }) => [
    row(`${name}: the same`, same),
    row(`${name}: different`, different),
  ]),
)}`;
}
