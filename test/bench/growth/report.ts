import { table } from '../page/markdown.ts';
import type { AxisResult, Grown, Used } from './measure.ts';

/** The largest growth of units that counts as none. */
const MOST_GROWTH = 0.1;

const number = (value: number) => value.toLocaleString('en');
const arrow = (small: number, large: number) => `${number(small)} → ${number(large)}`;
const unitsOf = ({ read, write }: Used) => read + write;

const isEqual = ({ small, large }: Grown): boolean =>
  large.calls <= small.calls && unitsOf(large) <= unitsOf(small) * (1 + MOST_GROWTH);

/** What further things add to a request that grows. */
function addedBy({ from, to, small, large }: Grown): string {
  const per = (of: (used: Used) => number) => ((of(large) - of(small)) / (to - from)) * 1_000;
  const calls = per((used) => used.calls);
  return `${number(Math.round(per(unitsOf)))} units${calls >= 1 ? ` and ${number(Math.round(calls))} calls` : ''} more per 1,000`;
}

function verdictOf(grown: Grown): string {
  if (grown.grows !== undefined) return `${grown.grows}: ${addedBy(grown)}`;
  return isEqual(grown) ? 'equal' : '**grows**';
}

const rows = ({ axis, requests }: AxisResult) =>
  requests.map((grown, i) => [
    i === 0 ? axis : '',
    grown.request,
    arrow(grown.from, grown.to),
    arrow(grown.small.calls, grown.large.calls),
    arrow(grown.small.read, grown.large.read),
    arrow(grown.small.write, grown.large.write),
    verdictOf(grown),
  ]);

/** @returns one sentence for each request that grows without a stated reason */
export const missedGrowth = (results: readonly AxisResult[]): string[] =>
  results.flatMap(({ axis, requests }) =>
    requests
      .filter((grown) => grown.grows === undefined && !isEqual(grown))
      .map(
        ({ request, from, to, small, large }) =>
          `${request}: ${arrow(small.calls, large.calls)} calls and ${arrow(unitsOf(small), unitsOf(large))} units from ${number(from)} to ${number(to)} ${axis}`,
      ),
  );

export const growthSection = (results: readonly AxisResult[]): string => `## Growth

What a request uses where there is little and where there is much: calls of AWS and units of the table, counted, in an
organization per axis. «Equal» means no more calls and at most ${MOST_GROWTH * 100} percent more units. A request whose answer shows
everything uses more where there is more; it is counted at two small sizes, and the verdict says what 1,000 further things add.
The service wrote one record of each axis. The others are copies of it with other names, ids and times.

${table(['Axis', 'Request', 'size', 'calls', 'read units', 'write units', 'verdict'], results.flatMap(rows))}

Rules bound these axes:

${results
  .filter(({ bound }) => bound !== undefined)
  .map(({ axis, bound }) => `- ${axis}: ${bound}`)
  .join('\n')}`;
