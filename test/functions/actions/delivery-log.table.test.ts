import { describe, expect, it } from 'vitest';
import { createDeliveries, readDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { deliveryKey } from '#shared/notifications/records/keys.ts';
import { type Attempt, DELIVERY_STATES, type Delivery, type Notice } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyIn } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { actionsApi, anAction, newOrganization, refusal, refused } from './actions-api.ts';

const api = await actionsApi();
const { table, clock } = api.services;
type Own = Awaited<ReturnType<typeof newOrganization>>;
const SECOND = 1_000_000;

interface Page {
  deliveries: (Record<string, unknown> & { id: string })[];
  next_cursor: string | null;
}

async function list(own: Own, query = ''): Promise<Page> {
  const { status, json, text } = await own.call('GET', `/deliveries/${own.org}`, { query });
  if (status !== 200) throw new Error(text);
  return json as Page;
}
const idsOf = ({ deliveries }: Page) => deliveries.map(({ id }) => id);

/** An organization with two actions. */
async function withActions(): Promise<Own> {
  const own = await newOrganization(api);
  await own.put(anAction());
  await own.put(anAction({ name: 'mail', targets: [{ type: 'EMAIL', emails: ['a@b.example'] }] }));
  return own;
}

/** Stores a delivery of an event that happens one second after the event before. */
async function store(own: Own, action: number, notice: Partial<Notice> = {}): Promise<Delivery> {
  clock.advance(SECOND);
  const made = await own.aDelivery(action);
  const [stored] = await createDeliveries(table, own.id, [{ ...made, notice: { ...made.notice, ...notice } }]);
  if (!stored) throw new Error('No delivery was stored');
  return stored;
}

async function attempt(own: Own, { id, action }: Delivery, facts: Partial<Attempt>, state: 'dead' | 'delivered') {
  const before = await readDelivery(table, own.id, action, id);
  if (!before) throw new Error('The delivery is gone');
  const made: Attempt = {
    attempt: before.attempts + 1,
    at: clock.now(),
    duration: 125,
    status: 500,
    outcome: 'failed',
    detail: 'The target answered 500: secret words',
    digest: null,
    ...facts,
  };
  expect(await recordAttempt(table, own.id, before, made, { state })).toBe('done');
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await withActions();

describe('GET /deliveries/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/deliveries/${org}`, needs: 'reader' });

  it('shows action, event, host, state, number of attempts and the last attempt', async () => {
    const own = await withActions();
    const delivery = await store(own, 1, { flow: 'web', trail: 'run' });
    await attempt(own, delivery, {}, 'dead');
    const body = {
      deliveries: [
        {
          id: delivery.id,
          action: { number: 1, name: 'tell' },
          event: expect.objectContaining({ id: delivery.notice.event, flow: 'web', trail: 'run' }),
          trigger: 'ON_ATTESTATION',
          target: { type: 'WEBHOOK', host: 'hooks.example.com' },
          state: 'dead',
          created_at: delivery.created / 1e6,
          next_attempt_at: 0,
          request_id: null,
          attempts_made: 1,
          last_attempt: {
            attempt: 1,
            at: expect.any(Number),
            status: 500,
            duration: 0.125,
            outcome: 'failed',
            error: 'status',
            answer: 'secret words',
          },
        },
      ],
      next_cursor: null,
    };
    expect(await list(own)).toEqual(body);
    const reader = await own.call('GET', `/deliveries/${own.org}`, { as: 'reader' });
    expect(JSON.stringify(reader.json)).not.toContain('secret words');
    expect(reader.json).toMatchObject({ deliveries: [{ last_attempt: { error: 'status' } }] });
  });

  it('lists the deliveries of all actions or of one, newest event first, with any page size', async () => {
    const own = await withActions();
    const all: Delivery[] = [];
    for (const action of [1, 2, 2, 1, 2]) all.push(await store(own, action));
    for (const one of all.slice(1, 3)) await attempt(own, one, {}, 'dead');
    for (const [filter, wanted] of [
      ['', all],
      ['&action=2', all.filter(({ action }) => action === 2)],
      ['&state=dead', all.slice(1, 3)],
    ] as const) {
      const expected = wanted.map(({ id }) => id).toReversed();
      for (const perPage of [1, 2, 100]) {
        const seen: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: Page = await list(own, `per_page=${perPage}${filter}${cursor && `&cursor=${cursor}`}`);
          seen.push(...idsOf(page));
          cursor = page.next_cursor;
        }
        expect(seen).toEqual(expected);
      }
    }
  });

  it('continues a list of one action behind attempts that fill a page', async () => {
    const own = await withActions();
    const [old, busy] = [await store(own, 1), await store(own, 1)];
    const attempts = Array.from({ length: 250 }, (_, i) => ({
      ...keyIn(deliveryKey(own.id, 1, monthOf(busy.id), busy.id).pk, `${busy.id}#${String(i + 1).padStart(3, '0')}`),
      v: 1,
    }));
    await table.putMany(attempts);
    const first = await list(own, 'action=1');
    expect(first).toMatchObject({ deliveries: [], next_cursor: expect.any(String) });
    let page = await list(own, `action=1&cursor=${first.next_cursor}`);
    if (page.deliveries.length === 0) page = await list(own, `action=1&cursor=${page.next_cursor}`);
    expect(idsOf(page)).toEqual([busy.id, old.id]);
  });

  it('filters by state, trigger, flow, trail, environment and time of the event', async () => {
    const own = await withActions();
    const trail = await store(own, 1, { flow: 'web', trail: 'run', trigger: 'ON_STARTED_TRAIL' });
    const environment = await store(own, 2, { environment: 'prod', trigger: 'ON_STARTED_ARTIFACT' });
    await attempt(own, trail, { outcome: 'delivered', status: 200, detail: 'The target answered 200' }, 'delivered');
    for (const query of ['flow=web', 'trail=run', 'trigger=ON_STARTED_TRAIL', 'state=delivered']) {
      expect([query, idsOf(await list(own, query))]).toEqual([query, [trail.id]]);
    }
    for (const query of ['environment=prod', 'state=pending', `start_ts=${environment.notice.at / 1e6}`]) {
      expect([query, idsOf(await list(own, query))]).toEqual([query, [environment.id]]);
    }
    expect(idsOf(await list(own, `end_ts=${trail.notice.at / 1e6}`))).toEqual([trail.id]);
    for (const state of DELIVERY_STATES.filter((one) => one === 'dead' || one === 'discarded')) {
      expect(await list(own, `state=${state}`)).toEqual({ deliveries: [], next_cursor: null });
    }
  });

  it('reads a bounded part of years of deliveries for one page', async () => {
    const own = await withActions();
    const old = await store(own, 1);
    clock.advance(20 * 31 * 24 * 3600 * SECOND);
    let page = await list(own, 'state=pending');
    expect(page).toMatchObject({ deliveries: [], next_cursor: expect.any(String) });
    let pages = 1;
    for (; page.deliveries.length === 0; pages += 1) page = await list(own, `state=pending&cursor=${page.next_cursor}`);
    expect(idsOf(page)).toEqual([old.id]);
    // Each page reads three of the 21 or 22 months.
    expect([7, 8]).toContain(pages);
  });

  it('lists a delivery that was created before the list existed under its action only', async () => {
    const own = await withActions();
    const made = await own.aDelivery(1);
    await table.put({ ...deliveryKey(own.id, 1, monthOf(made.id), made.id), v: 1, ...made });
    expect(idsOf(await list(own))).toEqual([]);
    expect(idsOf(await list(own, 'action=1'))).toEqual([made.id]);
  });

  it('shows a placeholder for a delivery that cannot be parsed', async () => {
    const own = await withActions();
    const { id } = await store(own, 1);
    await table.put({ ...deliveryKey(own.id, 1, monthOf(id), id), v: 1 });
    expect((await list(own)).deliveries).toMatchObject([{ id, unreadable: true }]);
  });

  it.each([
    ['action', '0'],
    ['action', 'x'],
    ['state', 'gone'],
    ['trigger', 'ON_NOTHING'],
    ['start_ts', 'x'],
    ['end_ts', 'x'],
    ['per_page', '0'],
    ['per_page', '101'],
    ['cursor', 'abc'],
    ['colour', 'red'],
  ])('refuses %s=%s', async (name, value) => {
    const answer = await refusing.call('GET', `/deliveries/${refusing.org}`, { query: `${name}=${value}` });
    expect(refusal(answer)).toEqual(refused({ [`query.${name}`]: expect.any(String) }));
  });

  it('refuses a period that ends before it starts, and the cursor of another filter', async () => {
    const own = await withActions();
    for (const action of [1, 1]) await store(own, action);
    const { next_cursor: cursor } = await list(own, 'per_page=1');
    for (const [query, field] of [
      ['start_ts=2&end_ts=1', 'start_ts'],
      [`state=dead&cursor=${cursor}`, 'cursor'],
    ] as const) {
      const answer = await own.call('GET', `/deliveries/${own.org}`, { query });
      expect(refusal(answer)).toEqual(refused({ [`query.${field}`]: expect.any(String) }));
    }
  });
});
