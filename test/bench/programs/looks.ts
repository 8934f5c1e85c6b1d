import { RelayMemory } from '#functions/relay/memory.ts';
import { visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { type EnvironmentId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { type EnvironmentName, storedName } from '#shared/base/names.ts';
import { MINUTE } from '#shared/base/texts/durations.ts';
import { type Micros, minus, plus, systemClock } from '#shared/base/time.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { askForLooks } from '#shared/expectations/gaps/ask-for-looks.ts';
import { readOngoing } from '#shared/expectations/records/gaps.ts';
import { VISITS_QUEUE } from '#shared/queues/queue-definition.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { queueEvent, recordingQueues, recordingVisits } from '#test/support/queue.ts';
import { type BenchStack, startBenchStack } from '../bench-stack.ts';
import { functionMemory } from '../bill/deployed.ts';
import { withoutStorage } from '../bill/month.ts';
import { recordedUsage } from '../bill/usage-of.ts';
import { chosenKinds } from '../looks/chosen-kinds.ts';
import { incompleteTrails, NAMED, silentFlows, storeExpectation, undecidedStarts } from '../looks/due-at-once.ts';
import { dollars, sum, times, type Usage } from '../prices.ts';

/**
 * `npm run bench:looks`: how long a look takes that finds 10,000 gaps at once, of environments, flows, trails or artifacts, and what the
 * looks at 1,000 environments that report every minute cost in a month. `npm run bench:looks -- starts` measures one kind only.
 */

const MANY = 10_000;
const FEW = 1_000;
const MINUTES_PLAYED = 20;
const MINUTES_PER_MONTH = 43_800;
/** A function has a whole processor from this memory on, and a share of it below (in GB). */
const WHOLE_PROCESSOR = 1_769 / 1_024;

interface Reporter {
  id: EnvironmentId;
  name: EnvironmentName;
}

const reportersAt = (count: number, at: Micros): Reporter[] =>
  Array.from({ length: count }, (_, i) => ({ id: newId<EnvironmentId>(plus(at, i)), name: storedName(`env-${i}`) }));

/** Stores the entries of environments as a report leaves them. */
const report = (stack: BenchStack, org: OrganizationId, reporters: readonly Reporter[], at: Micros): Promise<void> =>
  stack.services.table.putMany(
    reporters.map(({ id, name }) => ({
      ...catalogueKey(org, ENVIRONMENTS.name, id),
      ...{ v: 1, n: name, k: 'server', m: at, c: at, s: true },
      ...{
        r: at,
        r1: minus(at, MINUTE),
        r2: minus(at, 2 * MINUTE),
        r3: minus(at, 3 * MINUTE),
        r4: minus(at, 4 * MINUTE),
      },
    })),
  );

/** Stores expectations that ask for a report every five minutes. @param size environments of each */
async function expectReports(
  { services: { table } }: BenchStack,
  org: OrganizationId,
  reporters: readonly Reporter[],
  { size, at }: { size: number; at: Micros },
): Promise<void> {
  for (let first = 0; first < reporters.length; first += size) {
    const scope = { environments: reporters.slice(first, first + size) };
    await storeExpectation({ table, org, begun: at }, { name: `reports-${first}`, kind: 'reports', scope });
  }
}

/** The sweep of a minute, and the looks that it asks for. @returns how many looks were made */
async function sweep({ services }: BenchStack, now: Micros): Promise<number> {
  const visits = recordingVisits();
  const all = { ...services, ...recordingQueues(), visits: visits.queue, clock: { now: () => now } };
  await askForLooks(all);
  const messages = visits.take().map(({ message }) => message);
  if (messages.length === 0) return 0;
  const { batchItemFailures } = await visitOrganizations(queueEvent(messages), all, {
    memory: new RelayMemory(),
    lines: () => {},
  });
  if (batchItemFailures.length > 0) throw new Error('A look failed');
  return messages.length;
}

/** Environments whose reporters stopped in the same minute. */
async function silentReporters(stack: BenchStack, org: OrganizationId, begun: Micros): Promise<void> {
  const reporters = reportersAt(MANY, begun);
  await report(stack, org, reporters, begun);
  await expectReports(stack, org, reporters, { size: NAMED, at: begun });
}

/** What becomes overdue at once, by kind of subjects. */
const KINDS: Readonly<Record<string, (stack: BenchStack, org: OrganizationId, begun: Micros) => Promise<void>>> = {
  environments: silentReporters,
  flows: ({ services: { table } }, org, begun) => silentFlows({ table, org, begun, count: MANY }),
  trails: ({ services: { table } }, org, begun) => incompleteTrails({ table, org, begun, count: MANY }),
  starts: ({ services: { table } }, org, begun) => undecidedStarts({ table, org, begun, count: MANY }),
};

/** How long the look takes that finds all subjects of an organization overdue. */
async function measureMany(stack: BenchStack, kind: string) {
  const { table, clock } = stack.services;
  const begun = minus(clock.now(), 60 * MINUTE);
  const org = newId<OrganizationId>(begun);
  await KINDS[kind]?.(stack, org, begun);
  await sweep(stack, plus(begun, 5 * MINUTE));
  const processor = process.cpuUsage();
  const started = performance.now();
  const { calls } = await stack.recorder.record(async () => {
    await sweep(stack, plus(begun, 7 * MINUTE));
  });
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(processor);
  const gaps = (await readOngoing(table, org)).length;
  return { seconds, processorSeconds: (user + system) / 1e6, calls: calls.length, gaps };
}

/** What the looks at environments use that report in time, in a minute on average. */
async function usageOfLooks(stack: BenchStack, memory: number, size: number) {
  const begun = minus(systemClock().now(), 120 * MINUTE);
  const org = newId<OrganizationId>(begun);
  const reporters = reportersAt(FEW, begun);
  await report(stack, org, reporters, begun);
  await expectReports(stack, org, reporters, { size, at: begun });
  const used: Usage[] = [];
  let looks = 0;
  for (let minute = 1; minute <= MINUTES_PLAYED; minute += 1) {
    const now = plus(begun, minute * MINUTE);
    await report(stack, org, reporters, minus(now, 10_000_000));
    let made = 0;
    const processor = process.cpuUsage();
    const recording = await stack.recorder.record(async () => {
      made = await sweep(stack, now);
    });
    const { user, system } = process.cpuUsage(processor);
    looks += made;
    const computing = (memory * ((user + system) / 1e6)) / Math.min(1, memory / WHOLE_PROCESSOR);
    // A message is sent, received and deleted. The sweep of the minute runs anyway, so its call is not counted.
    const messages = { queueRequests: made * 3, functionGigabyteSeconds: computing };
    const { functionCalls: _, ...usage } = recordedUsage(recording, memory);
    used.push(sum([usage, messages, { functionCalls: made }]));
  }
  const gaps = (await readOngoing(stack.services.table, org)).length;
  if (gaps > 0) throw new Error(`${gaps} gaps were found, and there is none`);
  return { usage: times(sum(used), 1 / MINUTES_PLAYED), looks: looks / MINUTES_PLAYED };
}

const memory = functionMemory()('relay');
const [only] = process.argv.slice(2);
const kinds = chosenKinds(only, Object.keys(KINDS));
if (typeof kinds === 'string') {
  console.error(kinds);
  process.exit(2);
}
const share = Math.min(1, memory / WHOLE_PROCESSOR);
let isReached = true;
for (const kind of kinds) {
  // A table of its own: the sweep of a minute looks at every organization of a table.
  const stack = await startBenchStack();
  try {
    const { gaps, seconds, processorSeconds, calls } = await measureMany(stack, kind);
    const inFunction = processorSeconds / share;
    console.log(
      `${gaps} gaps of ${kind} in ${seconds.toFixed(1)} s and ${calls} calls, with ${processorSeconds.toFixed(1)} s of processor time. These are ${inFunction.toFixed(1)} s of a function of ${memory} GB, and a look may take ${VISITS_QUEUE.timeout} s.`,
    );
    isReached &&= gaps === MANY && inFunction < VISITS_QUEUE.timeout;
  } finally {
    await stack.stop();
  }
}
if (only === undefined) {
  const stack = await startBenchStack();
  try {
    for (const size of [1, NAMED]) {
      const { usage, looks } = await usageOfLooks(stack, memory, size);
      const month = dollars(withoutStorage(times(usage, MINUTES_PER_MONTH)));
      isReached &&= month <= 1;
      const { readUnits = 0, writeUnits = 0 } = usage;
      console.log(
        `${FEW / size} expectations: ${looks.toFixed(2)} looks, ${readUnits.toFixed(1)} read units and ${writeUnits.toFixed(1)} write units a minute, ${month.toFixed(2)} $ a month`,
      );
    }
  } finally {
    await stack.stop();
  }
}
process.exitCode = isReached ? 0 : 1;
