import { describe, expect, it } from 'vitest';
import { ERASED_DESCRIPTION } from '#shared/notifications/erase-notices.ts';
import {
  createDeliveries,
  deliveryToSend,
  readDelivery,
  recordAttempt,
} from '#shared/notifications/records/deliveries.ts';
import { deliveryKey } from '#shared/notifications/records/keys.ts';
import type { Attempt, Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { describeAccess } from '#test/support/access.ts';
import { actionsApi, anAction, aWebhook, HOOK, NOT_FOUND, newOrganization, refusal, refused } from './actions-api.ts';

const api = await actionsApi();
const { table, clock } = api.services;
type Own = Awaited<ReturnType<typeof newOrganization>>;
const ID = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
const SECOND = 1_000_000;
const FAILED = { outcome: 'failed', error: 'other', answer: null };
const DELIVERED = { outcome: 'delivered', error: null, answer: null };

const anAttempt = (attempt: number, outcome: Attempt['outcome'], status: number | null = 200): Attempt => ({
  attempt,
  at: clock.now(),
  duration: 125,
  status,
  outcome,
  detail: 'secret words of the target',
  digest: null,
});

async function withAction(overrides: Record<string, unknown> = {}): Promise<Own> {
  const own = await newOrganization(api);
  await own.put(anAction(overrides));
  return own;
}

/** Stores deliveries of this many events, one second apart. */
async function storeDeliveries(own: Own, count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let i = 0; i < count; i += 1) {
    clock.advance(SECOND);
    deliveries.push(await own.aDelivery(1));
  }
  return createDeliveries(table, own.id, deliveries);
}

const end = (own: Own, delivery: Delivery, state: 'dead' | 'discarded' | 'delivered') =>
  recordAttempt(table, own.id, delivery, anAttempt(1, state === 'delivered' ? 'delivered' : 'failed', 500), { state });

const stateOf = async (own: Own, { id }: { id: string }) => (await readDelivery(table, own.id, 1, id))?.state;

/** The item of a delivery as the stream brings it to the relay. */
const asked = async (own: Own, id: string) => {
  const item = await table.get(deliveryKey(own.id, 1, monthOf(id), id));
  return item ? deliveryToSend(item) : null;
};

describe('GET /actions/{org}/{action_number}/deliveries', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/actions/${org}/1/deliveries`, needs: 'reader' });

  it('shows each delivery with its attempts, without the texts of the target', async () => {
    const own = await withAction();
    const [delivery] = (await storeDeliveries(own, 1)) as [Delivery];
    const due = clock.now() + 2 * SECOND;
    await recordAttempt(table, own.id, delivery, anAttempt(1, 'failed', null), { state: 'pending', due });
    const pending = await readDelivery(table, own.id, 1, delivery.id);
    if (!pending) throw new Error('The delivery is gone');
    expect((await own.deliveries(1)).deliveries[0]).toMatchObject({ state: 'pending', next_attempt_at: due / 1e6 });
    await recordAttempt(table, own.id, pending, anAttempt(2, 'delivered'), { state: 'delivered' });
    const page = await own.deliveries(1);
    expect(page).toEqual({
      deliveries: [
        {
          id: delivery.id,
          trigger: 'ON_ATTESTATION',
          target: { type: 'WEBHOOK', webhook: HOOK },
          state: 'delivered',
          created_at: delivery.created / 1e6,
          next_attempt_at: 0,
          event: {
            id: delivery.notice.event,
            type: 'TEST',
            timestamp: delivery.notice.at / 1e6,
            test: true,
            description: expect.stringContaining("'tell'"),
          },
          attempts: [
            { attempt: 1, at: expect.any(Number), status: null, duration: 0.125, ...FAILED },
            { attempt: 2, at: expect.any(Number), status: 200, duration: 0.125, ...DELIVERED },
          ],
        },
      ],
      next_cursor: null,
    });
    expect(JSON.stringify(page)).not.toContain('secret words');
  });

  it('shows what each target gets if it is asked for, and nothing of a text that was erased', async () => {
    const own = await withAction();
    const [hook, mail, erased] = await Promise.all([0, 1, 2].map((n) => own.aDelivery(1, clock.now() - n * SECOND)));
    if (!hook || !mail || !erased) throw new Error('Deliveries are missing');
    await createDeliveries(table, own.id, [
      hook,
      { ...mail, target: { ...mail.target, type: 'EMAIL' } },
      { ...erased, notice: { ...erased.notice, description: ERASED_DESCRIPTION } },
    ]);
    const { deliveries } = await own.deliveries(1, 'include=message');
    const messages = new Map(deliveries.map(({ id, message }) => [id, message as { text: string; subject?: string }]));
    expect(JSON.parse(messages.get(hook.id)?.text ?? '')).toMatchObject({
      version: '1.0',
      event_type: 'TEST',
      org: own.org,
    });
    expect(messages.get(mail.id)).toMatchObject({
      content_type: 'text/plain',
      subject: expect.stringContaining(own.org),
    });
    expect(messages.get(erased.id)).toBeNull();
    const other = await own.call('GET', own.at('1/deliveries'), { query: 'include=attempts' });
    expect(other.status).toBe(400);
  });

  it('pages through all deliveries, newest event first, with any page size', async () => {
    const own = await withAction();
    const all = await storeDeliveries(own, 7);
    for (const delivery of all.slice(2, 5)) await end(own, delivery, 'dead');
    const expected = all.map(({ id }) => id).toReversed();
    for (const perPage of [1, 2, 3, 6, 7, 100]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = `per_page=${perPage}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
        const page = await own.deliveries(1, query);
        expect(page.deliveries.length).toBeLessThanOrEqual(perPage);
        seen.push(...page.deliveries.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(expected);
    }
  });

  it('crosses months', async () => {
    const own = await withAction();
    const old = await storeDeliveries(own, 2);
    clock.advance(200 * 24 * 3600 * SECOND);
    const recent = await storeDeliveries(own, 2);
    const first = await own.deliveries(1, 'per_page=3');
    expect(first.deliveries.map(({ id }) => id)).toEqual([recent[1]?.id, recent[0]?.id, old[1]?.id]);
    const second = await own.deliveries(1, `per_page=3&cursor=${first.next_cursor}`);
    expect([second.deliveries.map(({ id }) => id), second.next_cursor]).toEqual([[old[0]?.id], null]);
  });

  it('refuses cursors of other lists', async () => {
    const own = await withAction();
    await own.put(anAction({ name: 'other' }));
    await storeDeliveries(own, 3);
    const { next_cursor: cursor } = await own.deliveries(1, 'per_page=1');
    const foreign = await withAction();
    const text = expect.stringContaining('next_cursor');
    for (const [reader, number, query] of [
      [own, 2, cursor],
      [foreign, 1, cursor],
      [own, 1, 'abc'],
      [own, 1, Buffer.from(JSON.stringify({ after: ID })).toString('base64url')],
    ] as const) {
      const answer = await reader.call('GET', reader.at(`${number}/deliveries`), { query: `cursor=${query}` });
      expect(refusal(answer)).toEqual(refused({ 'query.cursor': text }));
    }
  });

  it.each(['0', '101', 'x'])('refuses %s as per_page', async (perPage) => {
    const own = await withAction();
    const answer = await own.call('GET', own.at('1/deliveries'), { query: `per_page=${perPage}` });
    expect(refusal(answer)).toEqual(refused({ 'query.per_page': expect.any(String) }));
  });

  it('answers 404 for an action that does not exist or was deleted', async () => {
    const own = await withAction();
    await own.remove(1);
    for (const number of [1, 2])
      expect(refusal(await own.call('GET', own.at(`${number}/deliveries`)))).toEqual(NOT_FOUND);
  });

  it('shows a placeholder for a delivery that cannot be parsed', async () => {
    const own = await withAction();
    const [broken, sound] = (await storeDeliveries(own, 2)) as [Delivery, Delivery];
    await table.put({ ...deliveryKey(own.id, 1, monthOf(broken.id), broken.id), v: 1 });
    expect((await own.deliveries(1)).deliveries).toMatchObject([{ id: sound.id }, { id: broken.id, unreadable: true }]);
  });
});

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
    const due = clock.now() + 3600 * SECOND;
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
