import { beforeAll, describe, expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, micros, plus } from '#shared/base/time.ts';
import { findAction, findActionByName } from '#shared/notifications/records/actions.ts';
import {
  deliveryWrites,
  newDelivery,
  postpone,
  readDelivery,
  recordAttempt,
} from '#shared/notifications/records/deliveries.ts';
import { deliveryPartition } from '#shared/notifications/records/keys.ts';
import type { Delivery, Target } from '#shared/notifications/rules/records.ts';
import { testNotice } from '#shared/notifications/rules/triggers.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { counted } from '#shared/table/meter.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { type MovableClock, movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { testId } from '#test/support/ids.ts';
import { recordingQueue, recordingQueues, type SentMessage } from '#test/support/queue.ts';
import {
  bareOrganization,
  changeAction,
  deleteAction,
  newAction,
  webhookTarget,
} from '#test/support/records/notified.ts';
import { streamEvent } from '#test/support/table/stream.ts';
import { testTable } from '#test/support/table.ts';
import { allMoments, attest, momentItems, testObjects, trailWriter } from '#test/support/trails.ts';

const NO_RECORD = { record: new Uint8Array(32), facts: new Uint8Array(32) };

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const SECOND = 1_000_000;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

interface Setting {
  org: OrganizationId;
  clock: MovableClock;
  services: { table: Table; clock: MovableClock };
  /** Returns the messages that were sent since the last call. */
  take(): SentMessage[];
  /** Hands items to the relay as the stream would. */
  hand(items: readonly Item[]): ReturnType<typeof relay>;
  attest(name: string, place?: { flow: string; trail: string }): Promise<unknown>;
  moments(flow: FlowId, trail?: string): Promise<Item[]>;
  flow(trail?: string): Promise<FlowId>;
}

async function setup(): Promise<Setting> {
  const clock = movableClock(START);
  const { org } = await bareOrganization(table, clock);
  const { queue, take } = recordingQueue();
  const writer = trailWriter(table, org, clock);
  const services = { table, clock };
  const memory = new RelayMemory();
  const log = (message: string, facts: Record<string, unknown>) => console.error(message, facts);
  const flows = new Map<string, FlowId>();
  const attestIn: Setting['attest'] = async (name, place = { flow: 'web', trail: 'run' }) => {
    await attest(
      writer,
      place,
      { name },
      {
        record: ({ flow }) => {
          flows.set(`${place.flow}/${place.trail}`, flow.id);
          return { id: newId(micros(1_700_000_000_000_000)), commitments: NO_RECORD, writes: [] };
        },
      },
    );
  };
  return {
    org,
    clock,
    services,
    take,
    attest: attestIn,
    hand: (items) =>
      heldTo('relay', RELAY_USES, () =>
        relay(
          streamEvent(items),
          {
            ...services,
            objects: testObjects(),
            ...recordingQueues(),
            deliveries: queue,
          },
          { memory, log },
        ),
      ),
    moments: (flow, trail = 'run') => momentItems(table, org, flow, trail),
    async flow(place = 'web/run') {
      const id = flows.get(place);
      if (id === undefined) throw new Error(`Nothing was attested to ${place}`);
      return id;
    },
  };
}

const TARGETS: Target[] = [webhookTarget('https://one.example/hook'), webhookTarget('https://two.example/hook')];

const deliveriesOf = async (org: OrganizationId, action: number): Promise<Delivery[]> => {
  const items = await table.query({ pk: deliveryPartition(org, action, '202606') });
  return items.filter(({ sk }) => !sk.includes('#')).map((item) => item as unknown as Delivery);
};

describe('events', () => {
  test('create a delivery and send a message per target of each matching action', async () => {
    const { org, services, hand, take, attest: report, moments, flow } = await setup();
    await newAction(services, org, TARGETS, { triggers: ['ON_ATTESTATION'] });
    await newAction(services, org, TARGETS.slice(0, 1), { triggers: ['ON_STARTED_TRAIL', 'ON_APPROVAL'] });
    await newAction(services, org, TARGETS, { triggers: ['ON_RELEASE'] });
    await newAction(services, org, TARGETS, { flows: [testId('another-flow')] });
    await report('scan');
    await report('tests');
    expect(await hand(await moments(await flow()))).toEqual({ batchItemFailures: [] });

    const sent = take();
    expect(sent.map(({ message }) => [message.action, message.attempts]).sort()).toEqual([
      ...[
        [1, 0],
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      [2, 0],
    ]);
    expect(new Set(sent.map(({ group }) => group))).toEqual(new Set([org]));
    const made = await deliveriesOf(org, 1);
    expect(made.map(({ id }) => id).sort()).toEqual(
      sent
        .filter(({ message }) => message.action === 1)
        .map(({ message }) => message.delivery)
        .sort(),
    );
    expect(made.map(({ notice, state, target }) => [notice.attestation?.name, state, target.key]).sort()).toEqual(
      ['scan', 'tests'].flatMap((name) => TARGETS.map(({ key }) => [name, 'pending', key])).sort(),
    );
    expect((await deliveriesOf(org, 2)).map(({ notice }) => [notice.trigger, notice.trail, notice.flow])).toEqual([
      ['ON_STARTED_TRAIL', 'run', 'web'],
    ]);
    expect([await deliveriesOf(org, 3), await deliveriesOf(org, 4)]).toEqual([[], []]);
  });

  test('match only the flows that the action lists', async () => {
    const { org, services, hand, take, attest: report, moments, flow } = await setup();
    await report('before');
    await newAction(services, org, TARGETS.slice(0, 1), { flows: [await flow()], triggers: ['ON_ATTESTATION'] });
    await report('here');
    await report('there', { flow: 'api', trail: 'run' });
    await hand([...(await moments(await flow())), ...(await moments(await flow('api/run')))]);
    expect(take()).toHaveLength(1);
    expect((await deliveriesOf(org, 1)).map(({ notice }) => notice.attestation?.name)).toEqual(['here']);
  });

  test('events of a repeated batch create nothing twice, and send the messages again that may never have been sent', async () => {
    const { org, services, clock, hand, take, attest: report, moments, flow } = await setup();
    await newAction(services, org, TARGETS, { triggers: ['ON_ATTESTATION'] });
    await report('scan');
    const items = await moments(await flow());
    await hand(items);
    const first = take();
    await hand(items);
    expect(take()).toEqual(first);

    const [one, two] = await deliveriesOf(org, 1);
    if (!one || !two) throw new Error('Two deliveries were made');
    const attempt = { attempt: 1, at: clock.now(), duration: 1, status: 500, detail: 'no', digest: null };
    const next = { state: 'pending', due: plus(clock.now(), SECOND) } as const;
    expect(await recordAttempt(table, org, one, { ...attempt, outcome: 'failed' }, next)).toBe('done');
    await hand(items);
    expect(take().map(({ message }) => message.delivery)).toEqual([two.id]);
    expect(await readDelivery(table, org, 1, one.id)).toMatchObject({ attempts: 1, due: next.due });
  });

  test('are matched with the version of the action that was in force at their time', async () => {
    const { org, services, clock, hand, take, attest: report, moments, flow } = await setup();
    await report('too early');
    await newAction(services, org, TARGETS.slice(0, 1), { name: 'tell', triggers: ['ON_ATTESTATION'] });
    await report('first targets');
    const saved = await findActionByName(table, org, 'flow', 'tell');
    if (!saved) throw new Error('The action is there');
    const given = { ...saved, targets: TARGETS.slice(1) };
    expect(await changeAction(table, org, saved, given, clock.now())).toBe('done');
    await report('second targets');
    const changed = await findAction(table, org, 1);
    if (!changed) throw new Error('The action is there still');
    expect(await deleteAction(table, org, changed, clock.now())).toBe('done');
    await report('too late');

    await hand(await moments(await flow()));
    expect(take()).toHaveLength(2);
    expect((await deliveriesOf(org, 1)).map(({ notice, target }) => [notice.attestation?.name, target.key])).toEqual([
      ['first targets', TARGETS[0]?.key],
      ['second targets', TARGETS[1]?.key],
    ]);
  });

  test('have notices with the names of flow and organization', async () => {
    const { org, services, hand, attest: report, moments, flow } = await setup();
    await newAction(services, org, TARGETS.slice(0, 1), { triggers: ['ON_STARTED_TRAIL'] });
    await report('scan');
    await hand(await moments(await flow()));
    const [delivery] = await deliveriesOf(org, 1);
    expect(delivery?.notice).toMatchObject({ flow: 'web', trail: 'run', org: expect.stringMatching(/^notified-/) });
    const [moment] = await allMoments(table, org, await flow(), 'run');
    expect(delivery?.notice.at).toBe(moment?.at);
  });
});

describe('the cost of an event', () => {
  const readsOf = async ({ hand, attest: report, moments, flow }: Setting): Promise<string[]> => {
    await report('scan');
    const items = await moments(await flow());
    await hand(items);
    const { log } = await countedLog(() => hand(items));
    return log.filter((name) => !name.includes('Update')).sort();
  };
  const countedLog = async (work: () => Promise<unknown>) => {
    const count = { calls: 0, sequential: 0, log: [] as { name: string; depth: number }[] };
    await counted(work, count);
    return { log: count.log.map(({ name }) => name) };
  };

  test('is two reads without a matching action and without running artifacts, and one that finds no gap that lasts', async () => {
    expect(await readsOf(await setup())).toEqual(Array(3).fill('DynamoDB.Query'));
  });

  test('does not grow with the actions of other organizations', async () => {
    const few = await setup();
    await newAction(few.services, few.org, TARGETS.slice(0, 1));
    const before = await readsOf(few);
    for (let i = 0; i < 30; i += 1) {
      const other = await bareOrganization(table, few.clock);
      await newAction(few.services, other.org, TARGETS);
    }
    const same = await setup();
    await newAction(same.services, same.org, TARGETS.slice(0, 1));
    expect(await readsOf(same)).toEqual(before);
  });

  test('is paid per batch: more events of an organization need no more reads', async () => {
    const { org, services, hand, attest: report, moments, flow } = await setup();
    await newAction(services, org, TARGETS.slice(0, 1), { triggers: ['ON_RELEASE'] });
    for (let i = 0; i < 20; i += 1) await report(`scan-${i}`);
    const items = await moments(await flow());
    await hand(items.slice(0, 1));
    const { log } = await countedLog(() => hand(items));
    const reads = log.filter((name) => !name.includes('Update')).sort();
    expect(reads).toEqual(['DynamoDB.BatchGetItem', ...Array(3).fill('DynamoDB.Query')]);
  });
});

describe('a delivery that an endpoint creates', () => {
  test('is sent when the stream brings it, and again with the same message for a repeated record', async () => {
    const { org, services, clock, hand, take } = await setup();
    await newAction(services, org, TARGETS.slice(0, 1));
    const action = await findAction(table, org, 1);
    const [target] = TARGETS;
    if (!action || !target) throw new Error('The action has a target');
    const delivery = newDelivery(testNotice(action, 'acme', 'event', clock.now()), 1, target, clock.now());
    await table.transact(deliveryWrites(org, [delivery]));
    const items = () => table.query({ pk: deliveryPartition(org, 1, monthOf(delivery.id)) });
    const message = { org, action: 1, delivery: delivery.id, attempts: 0 };
    const asked = await items();
    for (let i = 0; i < 2; i += 1) {
      await hand(asked);
      expect(take().map((sent) => sent.message)).toEqual([message]);
    }
    expect(await postpone(table, org, delivery, plus(clock.now(), 600 * SECOND))).toBe('done');
    await hand(await items());
    expect(take()).toEqual([]);
  });

  test('is the only kind that is sent from the stream: items that the relay writes are skipped', async () => {
    const { org, services, hand, take, attest: report, moments, flow } = await setup();
    await newAction(services, org, TARGETS.slice(0, 1), { triggers: ['ON_ATTESTATION'] });
    await report('scan');
    await hand(await moments(await flow()));
    take();
    await hand(await table.query({ pk: deliveryPartition(org, 1, '202606') }));
    expect(take()).toEqual([]);
  });
});
