import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweepEvents } from '#functions/relay/sweeps/sweep-events.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { type FlowId, firstIdAt, type Id } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { micros, minus, plus, toSeconds } from '#shared/base/time.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { EVENT_SERIES } from '#shared/evidence/events/settled-events.ts';
import { createDeliveries, readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { deliveryPartition, dueKey, duePartition } from '#shared/notifications/records/keys.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { sweepDue } from '#shared/notifications/sweep-due.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { readPosition } from '#shared/sweeps/positions.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { keyIn } from '#shared/table/keys.ts';
import { deliveryTo } from '#test/functions/notifier/notified.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { anArtifact, type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { recordingQueue, recordingQueues, type SentMessage } from '#test/support/queue.ts';
import { newAction, webhookTarget } from '#test/support/records/notified.ts';
import { streamEvent } from '#test/support/table/stream.ts';
import { momentItems } from '#test/support/trails.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TARGETS = [webhookTarget('https://one.example/hook'), webhookTarget('https://two.example/hook')];

const api = await testApi(groups);
const { clock, table } = api.services;

interface Setting extends EvidenceOfOrganization {
  sweep(atOnce?: number): Promise<unknown>;
  /** Returns the messages of this organization that were sent since the last call. */
  take(): SentMessage[];
  /** Log lines of sweeps about this organization. */
  logged: string[];
  /** Ids of the stored deliveries of an action of the last two days. */
  inTheBooks(action: number): Promise<Id[]>;
  /** Hands the stream records of a trail to the relay. */
  stream(trail: string): Promise<void>;
  attestMany(from: number, count: number): Promise<unknown>;
}

async function setup(): Promise<Setting> {
  const evidence = await newOrganization(api);
  const { id: org } = evidence;
  const { queue, take } = recordingQueue();
  const services = { table, clock, objects: api.services.objects, ...recordingQueues(), deliveries: queue };
  const logged: string[] = [];
  const log = (message: string, facts: Record<string, unknown>) => {
    if (facts['organization'] === org) logged.push(message);
  };
  return {
    ...{ ...evidence, logged },
    take: () => take().filter(({ message }) => message.org === org),
    async sweep(atOnce = 7) {
      const isTime = () => true;
      const parts = new SweepParts(log, isTime);
      const context = () => ({
        services,
        memory: new RelayMemory(),
        log,
        evaluationsOf,
        isTime,
        isTimeToSettle: isTime,
      });
      const turn = () => sweepEvents(context(), parts, org, atOnce);
      await heldTo('relay', RELAY_USES, async () => {
        while (await turn());
      });
      expect(parts.failures).toEqual([]);
    },
    async inTheBooks(action) {
      const months = [0, 48 * HOUR].map((ago) => monthOf(firstIdAt(minus(clock.now(), ago))));
      const partitions = [...new Set(months)].map((month) =>
        table.query({ pk: deliveryPartition(org, action, month) }),
      );
      return (await Promise.all(partitions)).flat().flatMap(({ sk }) => (sk.includes('#') ? [] : [sk]));
    },
    async stream(trail) {
      const flow = (await evidence.get(`/flows/${evidence.org}/web`)).json as { id: FlowId };
      const items = await momentItems(table, org, flow.id, trail);
      await relay(streamEvent(items), services, { memory: new RelayMemory(), log });
    },
    attestMany: (from, count) =>
      inParallel(
        Array.from({ length: count }, (_, i) => from + i),
        4,
        async (i) => {
          const { status } = await evidence.attest('generic', { attestation_name: `a${i}` }, { trail: `t${i % 5}` });
          expect(status).toBe(201);
        },
      ),
  };
}

/** Comes first: a sweep for due deliveries handles those of all organizations, also of the tests below. */
describe('the sweep for due deliveries', () => {
  test('sends a delivery without an attempt in time, and does not send it again at once', async () => {
    const { id: org } = await setup();
    const [target] = TARGETS;
    if (!target) throw new Error('There are targets');
    const { queue, take } = recordingQueue();
    const sweep = async () => {
      await sweepDue({ table, clock, deliveries: queue });
      return take().flatMap(({ message }) => (message.org === org ? [message] : []));
    };
    // One partition has more than a page of 100 deliveries.
    const all = Array.from({ length: 800 }, () => deliveryTo(target, clock.now()));
    const isInFirst = ({ id }: Delivery) => dueKey(micros(0), org, 1, id).pk === duePartition(0);
    const made = [
      ...all.filter(isInFirst).slice(0, 105),
      ...all.filter((delivery) => !isInFirst(delivery)).slice(0, 15),
    ];
    expect(made).toHaveLength(120);
    const [attempted, decided, ...lost] = await createDeliveries(table, org, made);
    if (!attempted || !decided) throw new Error('Deliveries were made');
    expect(await sweep()).toEqual([]);
    const attempt = { attempt: 1, at: clock.now(), duration: 1, status: 500, detail: 'no', digest: null };
    const later = { state: 'pending', due: plus(clock.now(), 6 * HOUR) } as const;
    await recordAttempt(table, org, attempted, { ...attempt, outcome: 'failed' }, later);
    await recordAttempt(table, org, decided, { ...attempt, outcome: 'delivered' }, { state: 'delivered' });

    clock.advance(3 * MINUTE);
    const first = await sweep();
    expect(new Set(first.map(({ delivery }) => delivery))).toEqual(new Set(lost.map(({ id }) => id)));
    expect(first).toHaveLength(lost.length);
    expect(await sweep()).toEqual([]);
    clock.advance(6 * MINUTE);
    expect(await sweep()).toHaveLength(lost.length);

    clock.advance(6 * HOUR);
    expect(await sweep()).toContainEqual({ org, action: 1, delivery: attempted.id, attempts: 1 });
    expect(await readDelivery(table, org, 1, attempted.id)).toMatchObject({ state: 'pending', attempts: 1 });
  });
});

describe('the sweep for events', () => {
  test('notifies targets once of every event of 25 hours that the stream did not bring', async () => {
    const setting = await setup();
    await newAction(api.services, setting.id, TARGETS);
    for (let hour = 0; hour < 5; hour += 1) {
      await setting.attestMany(hour * 4, 4);
      await setting.report(anArtifact(`built-${hour}`, { trail_name: 'builds' }));
      clock.advance(5 * HOUR);
    }
    await setting.sweep();
    // 20 attestations in five trails, five artifacts in another.
    const EVENTS = 20 + 5 + 5 + 1;
    const sent = setting.take();
    expect(sent).toHaveLength(EVENTS * TARGETS.length);
    const books = await setting.inTheBooks(1);
    expect(new Set(books)).toEqual(new Set(sent.map(({ message }) => message.delivery)));
    expect(books).toHaveLength(EVENTS * TARGETS.length);
    expect(setting.logged).toContain('Events that the stream did not bring were relayed');

    await setting.sweep();
    clock.advance(HOUR);
    await setting.sweep();
    expect(setting.take()).toEqual([]);
    // Late records of the stream give the same deliveries.
    await setting.stream('t0');
    expect(await setting.inTheBooks(1)).toHaveLength(EVENTS * TARGETS.length);
  });

  test('finds nothing missing if the stream brought everything, and skips entries that have not settled', async () => {
    const setting = await setup();
    await newAction(api.services, setting.id, TARGETS.slice(0, 1));
    await setting.attestMany(0, 5);
    for (const trail of ['t0', 't1', 't2', 't3', 't4']) await setting.stream(trail);
    expect(setting.take()).toHaveLength(10);
    clock.advance(MINUTE);
    await setting.sweep();
    clock.advance(2 * MINUTE);
    await setting.attestMany(5, 1);
    await setting.sweep();
    expect([setting.take(), setting.logged]).toEqual([[], []]);
    clock.advance(3 * MINUTE);
    await setting.sweep();
    expect(setting.take()).toHaveLength(1);
  });

  test('ignores events before the first action', async () => {
    const setting = await setup();
    await setting.attestMany(0, 3);
    clock.advance(HOUR);
    await newAction(api.services, setting.id, TARGETS);
    clock.advance(HOUR);
    await setting.sweep();
    expect([setting.take(), await setting.inTheBooks(1)]).toEqual([[], []]);
  });

  test('creates each delivery once if two sweeps run at once', async () => {
    const setting = await setup();
    await newAction(api.services, setting.id, TARGETS.slice(0, 1));
    await setting.attestMany(0, 10);
    clock.advance(HOUR);
    await Promise.all([setting.sweep(3), setting.sweep(4), setting.sweep(5)]);
    await setting.sweep();
    const books = await setting.inTheBooks(1);
    expect(books).toHaveLength(15);
    expect(new Set(setting.take().map(({ message }) => message.delivery))).toEqual(new Set(books));
  });

  test('starts again from the instant of a replay by an operator, and creates the missing deliveries from there on', async () => {
    const setting = await setup();
    const since = clock.now();
    await newAction(api.services, setting.id, TARGETS.slice(0, 1));
    await setting.attestMany(0, 3);
    clock.advance(HOUR);
    await setting.sweep();
    const [lost, ...kept] = setting.take().map(({ message }) => message.delivery);
    if (lost === undefined) throw new Error('The event has a delivery');
    await table.write({ remove: keyIn(deliveryPartition(setting.id, 1, monthOf(lost)), lost) });
    await setting.sweep();
    expect(setting.take()).toEqual([]);

    const command = { command: 'replay-events', since: toSeconds(since), organization: setting.org };
    expect(await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command))).toMatchObject({
      ok: true,
      organizations: 1,
      series: 2,
    });
    await setting.sweep();
    expect(setting.take().map(({ message }) => message.delivery)).toEqual([lost]);
    expect(new Set(await setting.inTheBooks(1))).toEqual(new Set([lost, ...kept]));
    // No artifact was reported, so that series has no stored position.
    const checked = EVENT_SERIES.filter((series) => series !== 'artifacts');
    const far = await Promise.all(checked.map((series) => readPosition(table, setting.id, series)));
    for (const upTo of far) expect((upTo ?? '') > firstIdAt(micros(since + 50 * MINUTE))).toBe(true);
    expect(await runOperator(api.services, { ...command, since: toSeconds(clock.now()) + 60 })).toMatchObject({
      ok: false,
    });
  });
});
