import { describe, expect, it } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { currentActionKey } from '#shared/notifications/records/keys.ts';
import { updateHealth } from '#shared/notifications/records/target-health.ts';
import { describeAccess } from '#test/support/access.ts';
import { createAction } from '#test/support/records/notified.ts';
import { actionsApi, anAction, aWebhook, firstTarget, NOT_FOUND, newOrganization, refusal } from './actions-api.ts';

const api = await actionsApi();
const { table, clock } = api.services;
const empty = await newOrganization(api);
type Own = typeof empty;

const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz';

/** Stores an environment notification. */
const aNotification = async (own: Own, name = 'watch') =>
  createAction(
    table,
    own.id,
    'env',
    {
      name,
      triggers: ['ON_NON_COMPLIANT_ENV'],
      flows: [],
      environments: [newId(clock.now())],
      targets: [{ key: 'k', type: 'EMAIL', emails: ['ada@example.com'] }],
    },
    SECRET,
    { at: clock.now(), by: 'ada' },
  );

describe('GET /actions/{org}/{action_number}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/actions/${org}/1`, needs: 'reader' });

  it.each(['1', '4711', '99999999999'])('answers 404 for the number %s', async (n) => {
    expect(refusal(await empty.get(n))).toEqual(NOT_FOUND);
  });

  it.each(['0', '-1', '1.5', 'abc', '1e3', '0x1', '99999999999999999999'])(
    'refuses %s, which is no positive integer',
    async (n) => {
      expect(refusal(await empty.get(n))).toEqual([
        400,
        {
          message: 'Input payload validation failed',
          errors: { action_number: expect.any(String) },
        },
      ]);
    },
  );

  it('serves both kinds out of one sequence of numbers', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    expect(await aNotification(own)).toBe('done');
    await own.put(anAction({ name: 'third' }));
    expect(await own.read(2)).toMatchObject({ type: 'env', number: 2, flows: [], triggers: ['ON_NON_COMPLIANT_ENV'] });
    expect(await own.read(3)).toMatchObject({ type: 'flow', number: 3, environments: [] });
  });

  it('keeps names apart by kind', async () => {
    const own = await newOrganization(api);
    await aNotification(own, 'same');
    expect((await own.put(anAction({ name: 'same' }))).status).toBe(200);
    expect((await own.list()).map(({ number, type }) => [number, type])).toEqual([
      [1, 'env'],
      [2, 'flow'],
    ]);
  });

  it('shows the health of each target, and the latest times for the action', async () => {
    const own = await newOrganization(api);
    const targets = [aWebhook(), aWebhook({ webhook: 'https://hooks.example.com/b' })];
    await own.put(anAction({ targets }));
    const [one, two] = (await own.stored(1)).targets;
    // After the save, because earlier attempts do not count.
    const start = clock.now();
    const attempt = (key: string | undefined, at: number, outcome: 'delivered' | 'failed' | 'gone') =>
      updateHealth(table, own.id, 1, key ?? '', [{ at: micros(at), outcome }]);
    await attempt(one?.key, start, 'failed');
    await attempt(one?.key, start + 2_000_000, 'delivered');
    await attempt(two?.key, start + 1_000_000, 'gone');
    const seconds = (after: number) => (start + after) / 1e6;
    expect(await own.read(1)).toMatchObject({
      is_failing: true,
      last_success_timestamp: seconds(2_000_000),
      last_failure_timestamp: seconds(1_000_000),
      targets: [
        { last_success_at: seconds(2_000_000), last_failure_at: seconds(0) },
        { last_success_at: 0, last_failure_at: seconds(1_000_000), disabled: true },
      ],
    });
    expect((await own.read(1)).targets[0]).not.toHaveProperty('disabled');
  });

  it('shows a disabled target as enabled after a save, and a changed target with fresh health', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    const { key } = firstTarget(await own.stored(1));
    const at = clock.now();
    await updateHealth(table, own.id, 1, key, [{ at, outcome: 'gone' }]);
    expect((await own.read(1)).targets).toMatchObject([{ disabled: true }]);
    await own.put(anAction());
    const [kept] = (await own.read(1)).targets;
    expect(kept).toMatchObject({ last_failure_at: at / 1e6 });
    expect(kept).not.toHaveProperty('disabled');
    await own.put(anAction({ targets: [aWebhook({ webhook: 'https://hooks.example.com/b' })] }));
    expect((await own.read(1)).is_failing).toBe(false);
    await own.put(anAction());
    expect(await own.read(1)).toMatchObject({ is_failing: false, targets: [{ last_failure_at: 0 }] });
  });
});

describe('GET /actions/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/actions/${org}`, needs: 'reader' });

  it('is a bare array by number, restricted to one kind on request', async () => {
    const own = await newOrganization(api);
    await own.put(anAction({ name: 'b' }));
    await aNotification(own);
    await own.put(anAction({ name: 'a' }));
    const numbers = async (query = '') => (await own.list(query)).map(({ number }) => number);
    expect(await numbers()).toEqual([1, 2, 3]);
    expect(await numbers('type=flow')).toEqual([1, 3]);
    expect(await numbers('type=env')).toEqual([2]);
    expect((await own.list())[0]).toEqual(await own.read(1));
  });

  it('refuses another kind', async () => {
    expect(refusal(await empty.call('GET', `/actions/${empty.org}`, { query: 'type=both' }))).toEqual([
      400,
      {
        message: 'Input payload validation failed',
        errors: { 'query.type': "Input should be 'flow' or 'env' [input: both]" },
      },
    ]);
  });

  it('shows a placeholder for an action that cannot be parsed', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    await own.put(anAction({ name: 'other' }));
    await table.put({ ...currentActionKey(own.id, 1), v: 1, number: 1 });
    expect(await own.list()).toMatchObject([
      { number: 1, unreadable: true },
      { number: 2, name: 'other' },
    ]);
  });
});

describe('DELETE /actions/{org}/{action_number}', () => {
  describeAccess(api, {
    method: 'DELETE',
    path: (org) => `/actions/${org}/1`,
    request: { text: 'null' },
    needs: 'member',
  });

  it('deletes an action of either kind', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    await aNotification(own);
    for (const number of [1, 2]) {
      expect(refusal(await own.remove(number))).toEqual([200, 'OK']);
      expect(refusal(await own.get(number))).toEqual(NOT_FOUND);
      expect(refusal(await own.remove(number))).toEqual(NOT_FOUND);
    }
    expect(await own.list()).toEqual([]);
  });

  it('frees the name, but not the number', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    await own.remove(1);
    await own.put(anAction());
    expect((await own.list()).map(({ number, name }) => [number, name])).toEqual([[2, 'tell']]);
  });

  it('succeeds once of many at once, and a save at the same time either comes first or creates a new action', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    const removals = await Promise.all([own.remove(1), own.remove(1), own.remove(1)]);
    expect(removals.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    await own.put(anAction());
    const [removal, save] = await Promise.all([own.remove(2), own.put(anAction())]);
    expect([removal.status, save.status]).toEqual([200, 200]);
    const left = (await own.list()).map(({ number }) => number);
    expect([[], [3]]).toContainEqual(left);
  });

  it('repeats the first answer under the same Idempotency-Key', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    const headers = { 'idempotency-key': 'gone' };
    const remove = () => own.call('DELETE', own.at(1), { headers });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 200]);
  });
});
