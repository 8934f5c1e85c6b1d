import { expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { listActive, readActive } from '#shared/sweeps/active-organizations.ts';
import { activeKey } from '#shared/sweeps/keys.ts';
import { visitMessage } from '#shared/sweeps/visit-message.ts';
import type { Table } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { queueEvent, recordingLogEntries, recordingQueue, recordingQueues } from '#test/support/queue.ts';
import { newAction, webhookTarget } from '#test/support/records/notified.ts';
import { itemsOf } from '#test/support/relay.ts';
import { tableAround } from '#test/support/table/faults.ts';

const MINUTE = 60_000_000;
const TRAILS = ['one', 'two'];
const TARGETS = [webhookTarget('https://one.example/hook'), webhookTarget('https://two.example/hook')];

const api = await testApi(groups);
const { clock, table, objects } = api.services;

/** The table of a process that ends before its write with this number. From then on it makes no call. */
function mortalTable(writes: number): { table: Table; written: () => number; isDead: () => boolean } {
  let written = 0;
  let isDead = false;
  const around = tableAround(table, ({ command }, send) => {
    const isWrite = !/^(?:Get|BatchGet|Query)$/.test(command);
    if (isWrite && written === writes) isDead = true;
    if (isDead) throw new Error('The process has ended');
    if (isWrite) written += 1;
    return send();
  });
  return { table: around, written: () => written, isDead: () => isDead };
}

/** An organization of whose evidence the stream brought nothing, and workers that make its visit. */
async function lostOrganization() {
  const { id: org, attest } = await newOrganization(api);
  await newAction(api.services, org, TARGETS);
  for (const trail of TRAILS) await attest('generic', { attestation_name: 'scan' }, { trail });
  const [deliveries, logEntries] = [recordingQueue(), recordingLogEntries()];
  const queues = { ...recordingQueues(), deliveries: deliveries.queue, logEntries: logEntries.queue };
  const event = queueEvent([visitMessage(org, clock.now()).body]);
  return {
    org,
    /** Makes the visit in a process of its own. Messages that were sent after its end do not count. */
    async visit(process: ReturnType<typeof mortalTable>) {
      const services = { table: process.table, clock, objects, ...queues };
      const options = { memory: new RelayMemory(), log: () => {}, lines: () => {} };
      const { batchItemFailures } = await visitOrganizations(event, services, options);
      return batchItemFailures.length;
    },
    /** The effects of all visits: what is stored, and what was sent at least once. */
    async effects() {
      const stored = (await itemsOf(table.name, org)).filter(({ pk }) => pk.includes('#DELIVERY#'));
      const books = stored.filter(({ sk }) => !sk.includes('#'));
      const entries = logEntries.sent.flatMap(({ message }) => message.entries);
      return {
        deliveries: books.length,
        sent: new Set(deliveries.sent.map(({ message }) => message.delivery)).size,
        entries: new Set(entries).size,
      };
    },
  };
}

test('a visit whose process ends before any of its writes is made again, and every effect comes once', async () => {
  const whole = await lostOrganization();
  clock.advance(10 * MINUTE);
  await listActive(table, whole.org, clock.now());
  const undisturbed = mortalTable(Number.POSITIVE_INFINITY);
  expect(await whole.visit(undisturbed)).toBe(0);
  const expected = await whole.effects();
  // Two events of each trail for two targets. The log gets their moments and the entries of the audit log.
  expect(expected).toMatchObject({ deliveries: 8, sent: 8 });
  expect(expected.entries).toBeGreaterThanOrEqual(4);

  const killed = await Promise.all(
    Array.from({ length: undisturbed.written() }, async (_, writes) => ({ writes, ...(await lostOrganization()) })),
  );
  clock.advance(10 * MINUTE);
  for (const { org } of killed) await listActive(table, org, clock.now());
  const results = new Map<number, unknown>();
  await inParallel(killed, 4, async ({ writes, visit }) => {
    const mortal = mortalTable(writes);
    expect([writes, await visit(mortal), mortal.isDead()]).toEqual([writes, 1, true]);
  });
  // The lease of the process that ended is over, and the message is visible again.
  clock.advance(3 * MINUTE);
  await inParallel(killed, 4, async ({ writes, visit, effects }) => {
    expect([writes, await visit(mortalTable(Number.POSITIVE_INFINITY))]).toEqual([writes, 0]);
    results.set(writes, await effects());
  });
  for (const { writes } of killed) expect([writes, results.get(writes)]).toEqual([writes, expected]);
  const listed = (await readActive(table)).filter(({ org }) => killed.some((one) => one.org === org));
  expect(listed.map(({ provedAt }) => clock.now() - provedAt < MINUTE)).toEqual(listed.map(() => true));
  for (const { org } of listed) expect(await table.get(activeKey(org))).not.toHaveProperty('busy');
});
