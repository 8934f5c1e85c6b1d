import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plus } from '#shared/base/time.ts';
import { createDeliveries, readDelivery } from '#shared/notifications/records/deliveries.ts';
import { reserveProbe } from '#shared/notifications/records/target-health.ts';
import type { Table } from '#shared/table/table.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { newAction } from '#test/support/records/notified.ts';
import { testTable } from '#test/support/table.ts';
import { attemptsOf, deliveryTo, healthOf, notified, SECOND, targetsOf } from './notified.ts';

let table: Table;
let receiver: Receiver;
beforeAll(async () => {
  table = await testTable();
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const { hook, requestsTo, answers } = targetsOf(() => receiver);

describe('a target that fails again and again', () => {
  test('gets one probe at a time; its other deliveries only get a due time and are sent after it recovers', async () => {
    const setting = await notified(table);
    const { org, clock, services, take } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const deliveries = await createDeliveries(
      table,
      org,
      Array.from({ length: 12 }, () => deliveryTo(target, clock.now())),
    );
    answers(path, Array(6).fill(500));
    const message = ({ id }: { id: string }, attempts = 0) => ({ org, action: 1, delivery: id, attempts });
    for (const delivery of deliveries.slice(0, 5)) await setting.notify([message(delivery)]);
    expect(requestsTo(path)).toHaveLength(5);
    take();
    const rest = deliveries.slice(5);
    await setting.notify(rest.map((delivery) => message(delivery)));
    expect(requestsTo(path)).toHaveLength(5);
    for (const { id } of rest) {
      const held = await readDelivery(table, org, 1, id);
      expect(held).toMatchObject({ state: 'pending', attempts: 0 });
      expect(held?.due).toBeGreaterThan(clock.now() + 20 * SECOND);
    }
    expect(take()).toEqual([]);

    clock.advance(40 * SECOND);
    await setting.notify(rest.map((delivery) => message(delivery)));
    expect(requestsTo(path)).toHaveLength(6);
    clock.advance(40 * SECOND);
    const probe = rest.find(({ id }) => id !== requestsTo(path)[5]?.id);
    await setting.notify(probe ? [message(probe)] : []);
    expect(await healthOf(table, org, target)).toMatchObject({ failures: 0 });
    await setting.notify(rest.filter(({ id }) => id !== probe?.id).map((delivery) => message(delivery)));
    const probed = requestsTo(path)[5]?.id;
    for (const { id } of rest) {
      const state = id === probed ? 'pending' : 'delivered';
      expect([id, (await readDelivery(table, org, 1, id))?.state]).toEqual([id, state]);
    }
  });

  test('has its deliveries given up after a day without a success', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const { path, target } = hook();
    await newAction(services, org, [target]);
    const all = await createDeliveries(
      table,
      org,
      Array.from({ length: 6 }, () => deliveryTo(target, clock.now())),
    );
    answers(path, Array(20).fill(500));
    const message = ({ id }: { id: string }) => ({ org, action: 1, delivery: id, attempts: 0 });
    for (const delivery of all.slice(0, 5)) await setting.notify([message(delivery)]);
    const [held] = all.slice(5);
    if (!held) throw new Error('Six deliveries were made');
    clock.advance(25 * 3600 * SECOND);
    const health = await healthOf(table, org, target);
    if (!health) throw new Error('The target has a health');
    // Another worker has reserved the probe.
    expect(await reserveProbe(table, org, 1, health, { ...health, probeAt: plus(clock.now(), 20 * SECOND) })).toBe(
      true,
    );
    await setting.notify([message(held)]);
    expect(await readDelivery(table, org, 1, held.id)).toMatchObject({ state: 'dead', attempts: 1 });
    expect(requestsTo(path)).toHaveLength(5);
    expect((await attemptsOf(table, org, held))[0]?.detail).toContain('Given up');
  });
});

describe('a slow target', () => {
  test('delays no other: fifty quick targets are notified before it has answered', async () => {
    const setting = await notified(table);
    const { org, clock, services } = setting;
    const slow = hook();
    const quick = Array.from({ length: 10 }, hook);
    await newAction(services, org, [slow.target, ...quick.map(({ target }) => target)]);
    const deliveries = await createDeliveries(table, org, [
      deliveryTo(slow.target, clock.now()),
      ...Array.from({ length: 50 }, (_, i) => deliveryTo(quick[i % 10]?.target ?? slow.target, clock.now())),
    ]);
    const before = receiver.answer;
    const allQuick = Promise.withResolvers<void>();
    const order: string[] = [];
    receiver.answer = (request) => {
      if (request.path !== slow.path && order.push('quick') === 50) allQuick.resolve();
      return request.path === slow.path ? { status: 200, millis: 2_000 } : { status: 200 };
    };
    const messages = deliveries.map(({ id }) => ({ org, action: 1, delivery: id, attempts: 0 }));
    const done = setting.notify(messages).then(() => order.push('slow has answered'));
    await allQuick.promise;
    expect(order).not.toContain('slow has answered');
    await done;
    receiver.answer = before;
    expect(order.at(-1)).toBe('slow has answered');
    for (const { id } of deliveries) expect((await readDelivery(table, org, 1, id))?.state).toBe('delivered');
  });
});
