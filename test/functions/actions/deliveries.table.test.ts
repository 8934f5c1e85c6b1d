import { describe, expect, it } from 'vitest';
import { minus, plus } from '#shared/base/time.ts';
import { ERASED_DESCRIPTION } from '#shared/notifications/erase-notices.ts';
import { createDeliveries, readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { deliveryKey } from '#shared/notifications/records/keys.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { describeAccess } from '#test/support/access.ts';
import { anAction, HOOK, NOT_FOUND, refusal, refused } from './actions-api.ts';
import { deliveriesApi, ID, SECOND } from './deliveries-api.ts';

const { api, anAttempt, withAction, storeDeliveries, end } = await deliveriesApi();
const { table, clock } = api.services;
const FAILED = { outcome: 'failed', error: 'other', answer: null };
const DELIVERED = { outcome: 'delivered', error: null, answer: null };

describe('GET /actions/{org}/{action_number}/deliveries', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/actions/${org}/1/deliveries`, needs: 'reader' });

  it('shows each delivery with its attempts, without the texts of the target', async () => {
    const own = await withAction();
    const [delivery] = (await storeDeliveries(own, 1)) as [Delivery];
    const due = plus(clock.now(), 2 * SECOND);
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
          request_id: null,
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
    const [hook, mail, erased] = await Promise.all(
      [0, 1, 2].map((n) => own.aDelivery(1, minus(clock.now(), n * SECOND))),
    );
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
