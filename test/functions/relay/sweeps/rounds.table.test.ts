import { expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { type RelayContext, relayContext } from '#functions/relay/relay.ts';
import { askForVisits, sweepOrganization, visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { plus } from '#shared/base/time.ts';
import { listActive, readActive } from '#shared/sweeps/active-organizations.ts';
import { activeKey } from '#shared/sweeps/keys.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { movableClock } from '#test/support/clock.ts';
import { queueEvent, recordingQueues, recordingVisits } from '#test/support/queue.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';
import { START } from '../relay-setting.ts';

/** Visits a quiet organization. Calls of the table wait for each other, so that those made together count as one round. */
async function visit() {
  const count = { calls: 0, rounds: 0 };
  let waiting: (() => Promise<void>)[] = [];
  let rounds = Promise.resolve();
  const release = async () => {
    // Work that waits for nothing but its own steps has made its calls by then.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const round = waiting;
    waiting = [];
    count.rounds += 1;
    await Promise.all(round.map((send) => send()));
  };
  const table = tableAround(await testTable(), (_, send) => {
    count.calls += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof send>>>();
    // A round begins when every answer of the one before has come.
    if (waiting.length === 0) rounds = rounds.then(release);
    waiting.push(() => send().then(resolve, reject));
    return promise;
  });
  const clock = movableClock(plus(START, 1_000_000));
  const services = { table, clock, objects: testObjects(), ...recordingQueues() };
  const context: RelayContext = relayContext(services, { memory: new RelayMemory(), log: () => {} }, 'sweep');
  const parts = new SweepParts(context.log, () => true);
  const outcome = await sweepOrganization(context, parts, newId<OrganizationId>(START));
  return { outcome, failures: parts.failures, ...count };
}

test('the visit of a quiet organization makes its independent reads at once', async () => {
  const { outcome, failures, calls, rounds } = await visit();
  expect([outcome, failures]).toEqual(['done', []]);
  expect(calls).toBeLessThanOrEqual(28);
  expect(rounds).toBeLessThanOrEqual(8);
});

/** A table with listed organizations, and services with a queue of visits. */
async function listed(count: number) {
  const table = await testTable();
  const ids = Array.from({ length: count }, (_, i) => newId<OrganizationId>(plus(START, i * 1000)));
  await table.putMany(ids.map((org) => ({ ...activeKey(org), v: 1, at: START, since: START })));
  const calls: string[] = [];
  const counted = tableAround(table, ({ command }, send) => {
    calls.push(command);
    return send();
  });
  const visits = recordingVisits();
  const clock = movableClock(plus(START, 660_000_000));
  const lines: Record<string, unknown>[] = [];
  const services = { table: counted, clock, objects: testObjects(), ...recordingQueues(), visits: visits.queue };
  const options = { memory: new RelayMemory(), log: () => {}, lines: (line: object) => void lines.push({ ...line }) };
  return { ids, table, calls, visits, clock, lines, services, options };
}

test('a sweep of 10,000 organizations reads the list, sends a message for each, and logs the age of the oldest visit', async () => {
  const { ids, calls, visits, lines, services, options } = await listed(10_000);
  expect(await askForVisits(services, options)).toBe(10_000);
  // The list lies in four partitions. The rest is the walk.
  expect(calls.length).toBeLessThanOrEqual(8);
  const sent = visits.take();
  expect(new Set(sent.map(({ group }) => group))).toEqual(new Set(ids));
  expect(lines).toMatchObject([{ level: 'INFO', organizations: 10_000, oldest_seconds: 660 }]);
});

test('a visit that fails comes again and stops no other, and a second message of a visit does nothing', async () => {
  const { ids, table, calls, visits, clock, lines, services, options } = await listed(3);
  await askForVisits(services, options);
  const event = queueEvent([...visits.take().map(({ message }) => message), { org: 'no id' }]);
  const [broken] = ids;
  if (broken === undefined) throw new Error('Three were asked for');
  const isBroken = { value: true };
  const failing = tableAround(services.table, ({ input }, send) => {
    if (isBroken.value && JSON.stringify(input).includes(`${broken}#`)) throw new Error('Out of order');
    return send();
  });
  const failed = async () => {
    const { batchItemFailures } = await visitOrganizations(event, { ...services, table: failing }, options);
    return batchItemFailures.map(({ itemIdentifier }) =>
      event.Records.findIndex((one) => one.messageId === itemIdentifier),
    );
  };
  const at = event.Records.findIndex(({ body }) => body.includes(broken));
  expect((await failed()).toSorted()).toEqual([at, 3].toSorted());
  // The two others are done: nothing happened in them lately.
  expect((await readActive(table)).map(({ org }) => org)).toEqual([broken]);
  isBroken.value = false;
  clock.advance(180_000_000);
  expect(await failed()).toEqual([3]);
  expect(await readActive(table)).toEqual([]);
  calls.length = 0;
  const { batchItemFailures } = await visitOrganizations(event, services, options);
  expect(batchItemFailures).toHaveLength(1);
  expect(calls).toEqual(['Update', 'Update', 'Update']);
  await listActive(table, broken, clock.now());
  await askForVisits(services, options);
  expect(lines.at(-1)).toMatchObject({ organizations: 1, oldest_seconds: 0 });
});
