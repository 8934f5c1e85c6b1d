import { table } from '../page/markdown.ts';
import { costOfMillion, PRICES } from '../prices.ts';
import { spreadText } from '../spread.ts';
import { LOOKS_AT_MORE, MOST_CALLS, MOST_OF_FLOOR } from './floors.ts';
import type { RequestResult, RequestsResult } from './measure.ts';

/** The sections of the page about single requests: what a client sees, and how far each read is from its floor. */

/** Memory of the functions of endpoint groups. */
const FUNCTION_GIGABYTES = 1;

const reasonOf = (request: string): string => (request in LOOKS_AT_MORE ? `: ${LOOKS_AT_MORE[request]}` : '');

/** @returns one sentence for each read that makes too many calls or costs too much */
export const missedFloors = ({ requests }: RequestsResult): string[] =>
  requests.flatMap(({ request, counts: { calls, read }, floor }) => {
    if (!floor) return [];
    return [
      ...(calls > MOST_CALLS ? [`${request}: ${calls} calls, above ${MOST_CALLS}`] : []),
      ...(read > floor.units * MOST_OF_FLOOR
        ? [
            `${request}: ${read} read units, above ${MOST_OF_FLOOR} times the floor of ${floor.units}${reasonOf(request)}`,
          ]
        : []),
    ];
  });

const asClients = (requests: readonly RequestResult[]) =>
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
    requests.map(({ request, millis, p99, one, sixteen, counts }) => [
      request,
      spreadText(millis, 1),
      p99.toFixed(1),
      spreadText(one, 0),
      spreadText(sixteen, 0),
      ...[counts.calls, counts.trips, counts.read, counts.write],
      costOfMillion({ ...counts, millis: millis.median, gigabytes: FUNCTION_GIGABYTES }).toFixed(2),
    ]),
  );

const floors = (requests: readonly RequestResult[]) =>
  table(
    ['Read', 'calls', 'floor', 'units', 'floor', 'the floor is'],
    requests.flatMap(({ request, counts, floor }) =>
      floor ? [[request, counts.calls, floor.calls, counts.read, floor.units, floor.why]] : [],
    ),
  );

export const requestsSection = ({ trails, rounds, requests }: RequestsResult): string => `## As a client sees it

Over HTTP, in an organization of ${trails.toLocaleString('en')} trails, against the functions, the gateway and the database of the local stack in
memory. Units follow from the sizes of items by the database's published rules. «AWS calls» counts all calls of a request, «in a
row» how many of them came one after another. A figure with two others in parentheses is the median of ${rounds} rounds, with the
quartiles. The relay and the notifier are separate functions and did not run. Authentication is remembered for 30 seconds and not
counted. The local database says nothing about the times of the real one. Calls and units are comparable. Dollars per
million requests use the list prices of ${PRICES.region} on ${PRICES.date}, for the gateway, the function (${FUNCTION_GIGABYTES} GB, for the median duration), the
table and the bucket; without the relay, storage, logs and transfer.

${asClients(requests)}

## Floors

The least that each read can cost, by arithmetic: a lookup of each name, because no memory may be believed; a unit per 4 KB of
what lies together; a unit for each record with a key of its own, 100 of them in one call. Goals: at most ${MOST_CALLS} calls, and at most ${MOST_OF_FLOOR}
times the units of the floor. A read can be below its floor where a function remembers names and checks them against the record.

${floors(requests)}`;
