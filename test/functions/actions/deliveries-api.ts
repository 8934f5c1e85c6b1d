import {
  createDeliveries,
  deliveryToSend,
  readDelivery,
  recordAttempt,
} from '#shared/notifications/records/deliveries.ts';
import { deliveryKey } from '#shared/notifications/records/keys.ts';
import type { Attempt, Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { actionsApi, anAction, newOrganization } from './actions-api.ts';

export type Own = Awaited<ReturnType<typeof newOrganization>>;

export const ID = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
export const SECOND = 1_000_000;

/** The API of actions, and what the notifier does to deliveries. */
export async function deliveriesApi() {
  const api = await actionsApi();
  const { table, clock } = api.services;

  const anAttempt = (attempt: number, outcome: Attempt['outcome'], status: number | null = 200): Attempt => ({
    attempt,
    at: clock.now(),
    duration: 125,
    status,
    outcome,
    detail: 'secret words of the target',
    digest: null,
  });

  return {
    api,
    anAttempt,

    async withAction(overrides: Record<string, unknown> = {}): Promise<Own> {
      const own = await newOrganization(api);
      await own.put(anAction(overrides));
      return own;
    },

    /** Stores deliveries of this many events, one second apart. */
    async storeDeliveries(own: Own, count: number): Promise<Delivery[]> {
      const deliveries: Delivery[] = [];
      for (let i = 0; i < count; i += 1) {
        clock.advance(SECOND);
        deliveries.push(await own.aDelivery(1));
      }
      return createDeliveries(table, own.id, deliveries);
    },

    end: (own: Own, delivery: Delivery, state: 'dead' | 'discarded' | 'delivered') =>
      recordAttempt(table, own.id, delivery, anAttempt(1, state === 'delivered' ? 'delivered' : 'failed', 500), {
        state,
      }),

    stateOf: async (own: Own, { id }: { id: string }) => (await readDelivery(table, own.id, 1, id))?.state,

    /** The item of a delivery as the stream brings it to the relay. */
    async asked(own: Own, id: string) {
      const item = await table.get(deliveryKey(own.id, 1, monthOf(id), id));
      return item ? deliveryToSend(item) : null;
    },
  };
}
