import { describe, expect, it } from 'vitest';
import { plus } from '#shared/base/time.ts';
import { readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { describeAccess } from '#test/support/access.ts';
import { anAction, aWebhook, NOT_FOUND, refusal, refused } from './actions-api.ts';
import { deliveriesApi, ID, type Own, SECOND } from './deliveries-api.ts';

const { api, anAttempt, withAction, storeDeliveries, end, stateOf, asked } = await deliveriesApi();
const { table, clock } = api.services;

describe('POST /actions/{org}/{action_number}/deliveries/{delivery_id}/redeliver', () => {
  const path = (org: string) => `/actions/${org}/1/deliveries/${ID}/redeliver`;
  describeAccess(api, { method: 'POST', path, request: { text: 'null' }, needs: 'member' });
  const redeliver = (own: Own, id: string, headers: Record<string, string> = {}) =>
    own.call('POST', own.at(`1/deliveries/${id}/redeliver`), { headers });

  it.each(['dead', 'discarded', 'delivered'] as const)('sends a %s delivery again under its id', async (state) => {
    const own = await withAction();
    const [delivery] = (await storeDeliveries(own, 1)) as [Delivery];
    await end(own, delivery, state);
    expect(await asked(own, delivery.id)).toBeNull();
    expect(refusal(await redeliver(own, delivery.id))).toEqual([200, 'OK']);
    expect(await asked(own, delivery.id)).toMatchObject({ id: delivery.id, attempts: 1, attemptsBefore: 1 });
    expect((await own.deliveries(1)).deliveries).toMatchObject([{ state: 'pending', attempts: [{ attempt: 1 }] }]);
  });

  it('sends a pending delivery at once instead of at its due time', async () => {
    const own = await withAction();
    const [delivery] = (await storeDeliveries(own, 1)) as [Delivery];
    const due = plus(clock.now(), 3600 * SECOND);
    await recordAttempt(table, own.id, delivery, anAttempt(1, 'failed', 500), { state: 'pending', due });
    expect((await redeliver(own, delivery.id)).status).toBe(200);
    expect((await asked(own, delivery.id))?.due).toBeLessThan(due);
  });

  it('applies once under one Idempotency-Key', async () => {
    const own = await withAction();
    const [delivery] = (await storeDeliveries(own, 1)) as [Delivery];
    await end(own, delivery, 'dead');
    const headers = { 'idempotency-key': 'again' };
    await redeliver(own, delivery.id, headers);
    const first = await readDelivery(table, own.id, 1, delivery.id);
    expect(refusal(await redeliver(own, delivery.id, headers))).toEqual([200, 'OK']);
    expect(await readDelivery(table, own.id, 1, delivery.id)).toEqual(first);
  });

  it('answers 404 for a delivery of another action or organization', async () => {
    const own = await withAction();
    const foreign = await withAction();
    const [delivery] = (await storeDeliveries(foreign, 1)) as [Delivery];
    for (const id of [ID, delivery.id, 'x', 'a#b']) {
      expect(refusal(await redeliver(own, id))).toEqual([404, { message: 'Delivery not found' }]);
    }
    const unknown = await own.call('POST', own.at(`2/deliveries/${delivery.id}/redeliver`));
    expect(refusal(unknown)).toEqual(NOT_FOUND);
  });
});

describe('POST /actions/{org}/{action_number}/test', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/actions/${org}/1/test`,
    request: { text: 'null' },
    needs: 'member',
  });

  it('creates a delivery of a marked event for every target', async () => {
    const own = await withAction({ targets: [aWebhook(), { type: 'EMAIL', email: 'ada@example.com' }] });
    const { status, json } = await own.call('POST', own.at('1/test'), { text: 'null' });
    const { event_id: event, delivery_ids: ids } = json as { event_id: string; delivery_ids: string[] };
    expect([status, ids.length]).toEqual([200, 2]);
    const { deliveries } = await own.deliveries(1);
    expect(deliveries.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const delivery of deliveries)
      expect(delivery).toMatchObject({ state: 'pending', event: { id: event, test: true } });
    for (const id of ids) expect(await asked(own, id)).toMatchObject({ id, attempts: 0 });
  });

  it('creates one event under one Idempotency-Key', async () => {
    const own = await withAction();
    const send = () => own.call('POST', own.at('1/test'), { headers: { 'idempotency-key': 'test' } });
    const first = await send();
    expect((await send()).json).toEqual(first.json);
    expect((await own.deliveries(1)).deliveries).toHaveLength(1);
  });

  it('answers 404 for an action that does not exist', async () => {
    const own = await withAction();
    expect(refusal(await own.call('POST', own.at('2/test')))).toEqual(NOT_FOUND);
  });
});

describe('POST /actions/{org}/{action_number}/replay', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/actions/${org}/1/replay`,
    request: { query: 'since=0', text: 'null' },
    needs: 'member',
  });
  const replay = async (own: Own, since: number | string = 0, request = {}) =>
    own.call('POST', own.at('1/replay'), { query: `since=${since}`, ...request });

  it('sends the failed deliveries since an instant again, and no others', async () => {
    const own = await withAction();
    const all = (await storeDeliveries(own, 5)) as [Delivery, Delivery, Delivery, Delivery, Delivery];
    const [early, dead, discarded, delivered, pending] = all;
    await end(own, early, 'dead');
    await end(own, dead, 'dead');
    await end(own, discarded, 'discarded');
    await end(own, delivered, 'delivered');
    const answer = await replay(own, dead.notice.at / 1e6);
    expect(refusal(answer)).toEqual([200, { replayed: 2, next_since: null }]);
    expect(await Promise.all(all.map((delivery) => stateOf(own, delivery)))).toEqual([
      ...['dead', 'pending', 'pending', 'delivered', 'pending'],
    ]);
    const sent = await Promise.all(all.map(async ({ id }) => (await asked(own, id))?.id));
    expect(sent).toEqual([undefined, dead.id, discarded.id, undefined, undefined]);
    expect(pending.attempts).toBe(0);
    expect(refusal(await replay(own))).toEqual([200, { replayed: 1, next_since: null }]);
    expect(refusal(await replay(own))).toEqual([200, { replayed: 0, next_since: null }]);
  });

  it('skips deliveries to targets that the action no longer has', async () => {
    const own = await withAction();
    const [dead] = (await storeDeliveries(own, 1)) as [Delivery];
    await end(own, dead, 'dead');
    await own.put(anAction({ targets: [aWebhook({ webhook: 'https://hooks.example.com/b' })] }));
    expect((await replay(own)).json).toMatchObject({ replayed: 0 });
    expect(await stateOf(own, dead)).toBe('dead');
  });

  it('counts each delivery once if two replays run at once', async () => {
    const own = await withAction();
    for (const delivery of await storeDeliveries(own, 4)) await end(own, delivery, 'dead');
    const answers = await Promise.all([replay(own), replay(own)]);
    const counts = answers.map(({ json }) => (json as { replayed: number }).replayed);
    expect(counts.reduce((a, b) => a + b)).toBe(4);
  });

  it('repeats the first count under the same Idempotency-Key', async () => {
    const own = await withAction();
    for (const delivery of await storeDeliveries(own, 2)) await end(own, delivery, 'dead');
    const headers = { 'idempotency-key': 'replay' };
    for (let round = 0; round < 2; round += 1)
      expect((await replay(own, 0, { headers })).json).toMatchObject({ replayed: 2 });
  });

  it.each(['', 'yesterday'])('refuses %j as an instant', async (since) => {
    const own = await withAction();
    expect(refusal(await replay(own, since))).toEqual(refused({ 'query.since': expect.any(String) }));
  });

  it('accepts any instant, and requires one', async () => {
    const own = await withAction();
    for (const since of ['-1e300', '1e300', '99999999999'])
      expect((await replay(own, since)).json).toEqual({ replayed: 0, next_since: null });
    const answer = await own.call('POST', own.at('1/replay'));
    expect(refusal(answer)).toEqual(refused({ 'query.since': 'Field required [input: None]' }));
  });
});
