import { RelayMemory } from '#functions/relay/memory.ts';
import { visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { VISITS_QUEUE } from '#shared/queues/queue-definition.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { visitMessage } from '#shared/sweeps/visit-message.ts';
import { queueEvent, recordingQueues } from '#test/support/queue.ts';
import { type BenchStack, startBenchStack } from '../bench-stack.ts';
import { type CountedRates, dollarsAt, limitsAt, logShareAt, MIX, type Rate } from '../bill/by-rate.ts';
import { type CountedOperations, countOperations } from '../bill/count-operations.ts';
import { deployedResources, functionMemory, idleUsage } from '../bill/deployed.ts';
import { withoutStorage } from '../bill/month.ts';
import type { Operation } from '../bill/operations.ts';
import { makeBillOrganization } from '../bill/organization.ts';
import { type MemoryOf, recordedUsage } from '../bill/usage-of.ts';
import { logUses } from '../log/log-cost.ts';
import { sharedLogUse } from '../log/shared-use.ts';
import { table } from '../page/markdown.ts';
import { dollars, sum, times, type Usage } from '../prices.ts';

/**
 * `npm run bench:bills`: counts what a write of a mix uses, and computes the bill of a month by the rate of writes and the number of
 * organizations. It prints the tables of docs/benchmarks.md#bills-by-rate.
 */

const RATES = [1, 10, 100, 1_000];
const ORGANIZATIONS = [1, 100, 10_000];
/** From one write of an organization to the next, in milliseconds, and the writes that are counted. */
const PACES = [10, 100, 1_000, 10_000, 120_000].map((everyMillis) => ({
  name: `every ${everyMillis} ms`,
  everyMillis,
  counted: 256,
}));
/** Rates at which organizations share calls of the integrator. */
const SHARED = RATES.flatMap((writesPerSecond) =>
  ORGANIZATIONS.map((organizations) => ({ writesPerSecond, organizations })),
).filter(({ writesPerSecond, organizations }) => writesPerSecond > 1 && organizations > 1);
const ALL = () => true;

const progress = (text: string) => console.error(text);

/** The mean of the writes of the mix: the requests, and what follows without the log. */
function meanOf({ operations }: CountedOperations): Usage {
  // `Object.entries` forgets the names of the operations.
  const parts = Object.entries(MIX) as [Operation, number][];
  const all = parts.map(([name, often]) => times(sum([operations[name].request, operations[name].afterwards]), often));
  return times(sum(all), 1 / parts.reduce((total, [, often]) => total + often, 0));
}

/** What the visit of an organization uses that wrote lately. Messages are sent and received ten at a time. */
async function visitUsage(stack: BenchStack, name: string, memoryOf: MemoryOf): Promise<Usage> {
  const { services, recorder } = stack;
  const { table: stored, clock, objects } = services;
  const org = await new Directory(stored).organization(name);
  if (!org) throw new Error(`There is no organization ${name}`);
  await listActive(stored, org.id, clock.now());
  const event = queueEvent([visitMessage(org.id, clock.now()).body]);
  const visiting = { table: stored, clock, objects, ...recordingQueues() };
  const recording = await recorder.record(async () => {
    const options = { memory: new RelayMemory(), lines: () => {} };
    const { batchItemFailures } = await visitOrganizations(event, visiting, options);
    if (batchItemFailures.length > 0) throw new Error('The visit failed');
  });
  return sum([recordedUsage(recording, memoryOf('relay')), { queueRequests: 3 / VISITS_QUEUE.batch }]);
}

/** What the logs of many organizations use at each of the rates. @param most signatures of the region in a second */
async function sharedUses(memory: number, most?: number) {
  const uses: (Rate & { usage: Usage })[] = [];
  for (const rate of SHARED) {
    progress(`logs, ${rate.writesPerSecond} writes per second to ${rate.organizations} organizations`);
    uses.push({ ...rate, usage: await sharedLogUse(rate, memory, progress, most) });
  }
  return uses;
}

async function count() {
  const resources = deployedResources();
  const memoryOf = functionMemory(resources);
  const counted = async (passes?: () => boolean) => {
    const stack = await startBenchStack();
    try {
      progress(`operations, ${passes ? 'without' : 'with'} the filter of the event source`);
      const write = meanOf(await countOperations(stack, memoryOf, passes));
      if (passes) return { write, visit: {}, log: [], shared: [] };
      const visit = await visitUsage(stack, 'plain', memoryOf);
      const { client } = await makeBillOrganization(stack, 'logged');
      const uses = await logUses(stack, { name: 'logged', client }, PACES, memoryOf('integrator'), progress);
      client.close();
      const log = uses.map(({ arrival: { everyMillis }, usage }) => ({ everyMillis, usage }));
      return { write, visit, log, shared: await sharedUses(memoryOf('integrator')) };
    } finally {
      await stack.stop();
    }
  };
  const idle = idleUsage(resources);
  const now: CountedRates = { ...(await counted()), idle };
  const unfiltered: CountedRates = { ...now, write: (await counted(ALL)).write };
  const unlimited = await sharedUses(memoryOf('integrator'), Number.POSITIVE_INFINITY);
  const before: CountedRates = { ...unfiltered, shared: unlimited };
  const withoutLog: CountedRates = { ...unfiltered, log: [], shared: [] };
  return { now, unfiltered, before, withoutLog };
}

const two = (number: number): string => number.toFixed(2);
const whole = (number: number): string => Math.round(number).toLocaleString('en');

const { now, unfiltered, before, withoutLog } = await count();
const amounts = (usage: Usage) => [
  two(usage.readUnits ?? 0),
  two(usage.writeUnits ?? 0),
  two(usage.functionCalls ?? 0),
  two(usage.queueRequests ?? 0),
  two(usage.signatures ?? 0),
  two(1_000_000 * dollars(withoutStorage(usage))),
];
console.log(
  table(
    [
      'Counted',
      'read units',
      'write units',
      'calls of functions',
      'requests of queues',
      'signatures',
      '$ for a million',
    ],
    [
      ['a write of the mix, without the log', ...amounts(now.write)],
      ['the same, without the filter of the event source', ...amounts(unfiltered.write)],
      ...now.log.map(({ everyMillis, usage }) => [
        `the log, a write every ${everyMillis / 1_000} s`,
        ...amounts(usage),
      ]),
      ...(now.shared ?? []).map(({ writesPerSecond, organizations, usage }) => [
        `the logs of ${whole(organizations)} organizations, ${whole(writesPerSecond)} writes per second`,
        ...amounts(usage),
      ]),
      ['a visit of the sweeps', ...amounts(now.visit)],
    ],
  ),
);
const rows = RATES.flatMap((writesPerSecond) =>
  ORGANIZATIONS.map((organizations) => {
    const rate: Rate = { writesPerSecond, organizations };
    const [first] = limitsAt(now, rate);
    return [
      `${writesPerSecond} per second`,
      whole(organizations),
      whole(dollarsAt(withoutLog, rate)),
      whole(dollarsAt(before, rate, Number.POSITIVE_INFINITY)),
      whole(dollarsAt(now, rate)),
      `${Math.round(100 * logShareAt(now, rate))} %`,
      first ? `${first.name}, ${Math.round(100 * first.load)} %` : '',
      first?.remedy ?? '',
    ];
  }),
);
const idle = whole(dollars(now.idle));
console.log(
  table(
    [
      'Writes',
      'organizations',
      'no log, no filter',
      'log, no filter, no line',
      'now',
      'share of the log',
      'reached first',
      'set then',
    ],
    [['idle', 'any', idle, idle, idle, '0 %', 'nothing', ''], ...rows],
  ),
);
