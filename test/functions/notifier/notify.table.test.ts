import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import {
  createDeliveries,
  DUE_PARTITIONS,
  dueDeliveries,
  readDelivery,
} from '#shared/notifications/records/deliveries.ts';
import type { Table } from '#shared/table/table.ts';
import { queueEvent } from '#test/support/queue.ts';
import { type Receiver, startReceiver, verified } from '#test/support/receiver.ts';
import { changeAction, deleteAction, newAction } from '#test/support/records/notified.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { attemptsOf, deliveryTo, healthOf, type Notified, notified, SECOND, targetsOf } from './notified.ts';

let table: Table;
let receiver: Receiver;
beforeAll(async () => {
  table = await testTable();
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const { hook, requestsTo, answers } = targetsOf(() => receiver);

/** Makes all attempts of one delivery, each at its due time, until it is no longer pending. */
async function untilDecided(setting: Notified, id: string): Promise<void> {
  for (let attempts = 0; ; attempts += 1) {
    await setting.notify([{ org: setting.org, action: 1, delivery: id, attempts }]);
    const delivery = await readDelivery(table, setting.org, 1, id);
    if (delivery?.state !== 'pending') return;
    setting.clock.advance(delivery.due - setting.clock.now());
  }
}

describe('an attempt', () => {
  test('that succeeds is signed and stored in delivery, attempt and health', async () => {
    const setting = await notified(table);
    const { org, clock, services, take } = setting;
    const { path, target } = hook();
    const secret = await newAction(services, org, [target]);
    const delivery = deliveryTo(target, clock.now());
    await createDeliveries(table, org, [delivery]);
    expect(await setting.notify([{ org, action: 1, delivery: delivery.id, attempts: 0 }])).toEqual([]);

    const [request] = requestsTo(path);
    expect(request?.id).toBe(delivery.id);
    expect(request && verified(request, secret)).toMatchObject({ version: '1.0', event_type: 'TRAIL_STARTED' });
    expect(await readDelivery(table, org, 1, delivery.id)).toMatchObject({ state: 'delivered', attempts: 1 });
    const [attempt, ...others] = await attemptsOf(table, org, delivery);
    expect([attempt, others]).toEqual([expect.objectContaining({ attempt: 1, status: 200, outcome: 'delivered' }), []]);
    expect(await healthOf(table, org, target)).toMatchObject({ lastSuccess: attempt?.at, lastFailure: 0 });
    expect(take()).toEqual([]);
    for (const shard of DUE_PARTITIONS) {
      const due = await dueDeliveries(table, shard, micros(Number.MAX_SAFE_INTEGER), 1000);
      expect(due.filter((entry) => entry.org === org)).toEqual([]);
    }
  });

  test('that fails is followed by a delayed message, as long as the queue can hold it back', async () => {
    const setting = await notified(table);
    const { org, clock, services, take } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const delivery = deliveryTo(target, clock.now());
    await createDeliveries(table, org, [delivery]);
    answers(path, Array(20).fill(503));
    await untilDecided(setting, delivery.id);

    expect(await readDelivery(table, org, 1, delivery.id)).toMatchObject({ state: 'dead', attempts: 9 });
    expect(requestsTo(path).map(({ id }) => id)).toEqual(Array(9).fill(delivery.id));
    const attempts = await attemptsOf(table, org, delivery);
    expect(attempts.map(({ attempt, status, outcome }) => [attempt, status, outcome])).toEqual(
      Array.from({ length: 9 }, (_, i) => [i + 1, 503, 'failed']),
    );
    const sent = take();
    expect(sent.map(({ message }) => message.attempts)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [i, seconds] of [2, 5, 10, 30, 120, 600].entries()) {
      expect(sent[i]?.delaySeconds).toBeGreaterThanOrEqual(Math.floor(seconds * 0.8));
      expect(sent[i]?.delaySeconds).toBeLessThanOrEqual(Math.ceil(seconds * 1.2) + 1);
    }
    expect(await healthOf(table, org, target)).toMatchObject({ lastSuccess: 0, lastFailure: attempts[8]?.at });
  });

  test('is not made before the pause that the target asked for is over', async () => {
    const setting = await notified(table);
    const { org, clock, services, take } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const delivery = deliveryTo(target, clock.now());
    await createDeliveries(table, org, [delivery]);
    answers(path, [429], { 'retry-after': '100' });
    const before = clock.now();
    await setting.notify([{ org, action: 1, delivery: delivery.id, attempts: 0 }]);
    expect((await readDelivery(table, org, 1, delivery.id))?.due).toBeGreaterThanOrEqual(before + 100 * SECOND);
    expect(take()[0]?.delaySeconds).toBeGreaterThanOrEqual(100);
  });

  test('an attempt with the answer 410 discards the delivery and disables the target until the action is saved', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const made = await createDeliveries(
      table,
      org,
      Array.from({ length: 3 }, () => deliveryTo(target, clock.now())),
    );
    const [gone, late, saved] = made;
    if (!gone || !late || !saved) throw new Error('Three deliveries were made');
    answers(path, [410]);
    await setting.notify([{ org, action: 1, delivery: gone.id, attempts: 0 }]);
    await setting.notify([{ org, action: 1, delivery: late.id, attempts: 0 }]);
    const action = await findAction(table, org, 1);
    if (!action) throw new Error('The action is there');
    expect(await healthOf(table, org, target)).toMatchObject({ disabled: true });
    expect(await changeAction(table, org, action, action, clock.now())).toBe('done');
    await setting.notify([{ org, action: 1, delivery: saved.id, attempts: 0 }]);

    const states = await Promise.all(made.map(({ id }) => readDelivery(table, org, 1, id)));
    expect(states.map((delivery) => [delivery?.state, delivery?.attempts])).toEqual([
      ['discarded', 1],
      ['discarded', 0],
      ['delivered', 1],
    ]);
    expect(requestsTo(path)).toHaveLength(2);
  });

  test('is not made for a target or an action that is gone', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const [first, second] = [hook(), hook()];
    await newAction(services, org, [first.target, second.target]);
    const one = deliveryTo(first.target, clock.now());
    const two = deliveryTo(second.target, clock.now());
    await createDeliveries(table, org, [one, two]);
    const action = await findAction(table, org, 1);
    if (!action) throw new Error('The action is there');
    await changeAction(table, org, action, { ...action, targets: [second.target] }, clock.now());
    await setting.notify([{ org, action: 1, delivery: one.id, attempts: 0 }]);
    const changed = await findAction(table, org, 1);
    if (!changed) throw new Error('The action is there still');
    await deleteAction(table, org, changed, clock.now());
    await setting.notify([{ org, action: 1, delivery: two.id, attempts: 0 }]);
    for (const { id } of [one, two]) {
      expect(await readDelivery(table, org, 1, id)).toMatchObject({ state: 'discarded', attempts: 0 });
    }
    expect([...requestsTo(first.path), ...requestsTo(second.path)]).toEqual([]);
  });
});

describe('a message', () => {
  test('is ignored at any time if its attempt was made already', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const delivery = deliveryTo(target, clock.now());
    await createDeliveries(table, org, [delivery]);
    answers(path, [500]);
    const message = (attempts: number) => ({ org, action: 1, delivery: delivery.id, attempts });
    await setting.notify([message(0)]);
    await setting.notify([message(0), message(0)]);
    expect(requestsTo(path)).toHaveLength(1);
    await setting.notify([message(1)]);
    await setting.notify([message(1), message(0), message(2)]);
    expect(requestsTo(path)).toHaveLength(2);
    expect(await readDelivery(table, org, 1, delivery.id)).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  test('that cannot be parsed fails alone, and a message about an unknown delivery is only logged', async () => {
    const setting = await notified(table);
    const { org, clock, services, logged } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const delivery = deliveryTo(target, clock.now());
    await createDeliveries(table, org, [delivery]);
    const event = queueEvent([
      'not JSON',
      { org, action: 1, delivery: 'no id', attempts: 0 },
      { org, action: 1, delivery: delivery.id, attempts: 0 },
    ]);
    expect(await setting.hand(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }],
    });
    expect(requestsTo(path)).toHaveLength(1);
    expect(logged.filter(({ level }) => level === 'ERROR').map(({ message }) => message)).toEqual([
      'A message names a delivery that is not there',
      'Working on a message failed; it comes again',
    ]);
  });

  test('is delivered again, alone, after a fault of our own, and the health is updated then', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const [one, two] = [hook(), hook()];
    await newAction(services, org, [one.target, two.target]);
    const broken = deliveryTo(one.target, clock.now());
    const whole = deliveryTo(two.target, clock.now());
    await createDeliveries(table, org, [broken, whole]);
    const faulty = faultyTable(table, ({ command, input }) => {
      const text = JSON.stringify(input);
      return command === 'TransactWrite' && text.includes('#HEALTH') && text.includes(one.target.key)
        ? 'timeout-before'
        : undefined;
    });
    const event = queueEvent([broken, whole].map(({ id }) => ({ org, action: 1, delivery: id, attempts: 0 })));
    expect(await setting.hand(event, { table: faulty })).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }],
    });
    expect(await readDelivery(table, org, 1, broken.id)).toMatchObject({ state: 'delivered' });
    expect(await healthOf(table, org, one.target)).toBeUndefined();

    // A second container gets the message, without the memory of the first one.
    const next = await notified(table, setting);
    await next.hand(queueEvent([{ org, action: 1, delivery: broken.id, attempts: 0 }], 2));
    const [attempt] = await attemptsOf(table, org, broken);
    expect(await healthOf(table, org, one.target)).toMatchObject({ lastSuccess: attempt?.at });
    expect(requestsTo(one.path)).toHaveLength(1);
  });
});
