import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeliveries, readDelivery } from '#shared/notifications/records/deliveries.ts';
import { freshHealth, healthAfter } from '#shared/notifications/rules/health.ts';
import type { Table } from '#shared/table/table.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { newAction, webhookTarget } from '#test/support/records/notified.ts';
import { testTable } from '#test/support/table.ts';
import { attemptsOf, deliveryTo, healthOf, notified } from './notified.ts';

let table: Table;
let receiver: Receiver;
beforeAll(async () => {
  table = await testTable();
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const DELIVERIES = 3;

/** One step: messages that arrive at once at one of two containers. Time passes between steps. */
const step = fc.record({
  messages: fc.array(
    fc.record({
      delivery: fc.nat(DELIVERIES - 1),
      /** Attempts made when the message was sent. The delivery often has another number by now. */
      behind: fc.constantFrom(0, 0, 0, 1, -1),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  container: fc.nat(1),
  status: fc.constantFrom(200, 500, 503),
  seconds: fc.integer({ min: 0, max: 40 }),
});

test('messages that are repeated, late, parallel or between failures leave complete attempts and the health that follows from them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
      const first = await notified(table);
      const containers = [first, await notified(table, first)];
      const { org, clock, services } = first;
      const target = webhookTarget(`${receiver.url}/${org}`);
      await newAction(services, org, [target]);
      const made = Array.from({ length: DELIVERIES }, () => deliveryTo(target, clock.now()));
      const deliveries = await createDeliveries(table, org, made);
      const now = (id: string) => readDelivery(table, org, 1, id);

      for (const { messages, container, status, seconds } of steps) {
        receiver.answer = () => ({ status });
        const bodies = await Promise.all(
          messages.map(async ({ delivery, behind }) => {
            const id = deliveries[delivery]?.id ?? '';
            return { org, action: 1, delivery: id, attempts: ((await now(id))?.attempts ?? 0) + behind };
          }),
        );
        const half = Math.ceil(bodies.length / 2);
        const failed = await Promise.all([
          containers[container]?.notify(bodies.slice(0, half)),
          containers[1 - container]?.notify(bodies.slice(half)),
        ]);
        expect(failed.flat()).toEqual([]);
        clock.advance(seconds * 1_000_000);
      }

      const books = await Promise.all(
        deliveries.map(async (delivery) => ({
          now: await now(delivery.id),
          attempts: await attemptsOf(table, org, delivery),
        })),
      );
      for (const { now: delivery, attempts } of books) {
        expect(attempts.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: delivery?.attempts ?? 0 }, (_, i) => i + 1),
        );
        const last = attempts.at(-1);
        expect(delivery?.state).toBe(last?.outcome === 'delivered' ? 'delivered' : 'pending');
        expect(attempts.slice(0, -1).filter(({ outcome }) => outcome === 'delivered')).toEqual([]);
      }
      const all = books.flatMap(({ attempts }) => attempts).sort((a, b) => a.at - b.at);
      const expected = all.reduce(healthAfter, freshHealth(target.key));
      const health = await healthOf(table, org, target);
      // A reserved probe moves the time of the next probe, which cannot be computed from the attempts.
      expect(health && { ...health, probeAt: 0 }).toEqual(all.length > 0 ? { ...expected, probeAt: 0 } : undefined);
    }),
    { numRuns: 10 },
  );
});
