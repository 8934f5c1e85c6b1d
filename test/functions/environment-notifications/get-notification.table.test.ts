import { describe, expect, it, vi } from 'vitest';
import { currentActionKey } from '#shared/notifications/records/keys.ts';
import { updateHealth } from '#shared/notifications/records/target-health.ts';
import { describeAccess } from '#test/support/access.ts';
import { anAction, firstTarget, NOT_FOUND, refusal } from '../actions/actions-api.ts';
import { aNotification, newOrganization, notificationsApi } from './notifications-api.ts';

const api = await notificationsApi();
const { table, clock } = api.services;

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('GET /organizations/{org}/environments_notifications/{notification_number}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/organizations/${org}/environments_notifications/1`,
    needs: 'reader',
  });

  it('knows no number that nothing has, and none of a flow action', async () => {
    const own = await newOrganization(api);
    await own.actions.put(anAction());
    for (const number of [1, 2, '99999999999']) expect(refusal(await own.get(number))).toEqual(NOT_FOUND);
  });

  it.each(['0', '-1', '1.5', 'abc', '1e3', '9'.repeat(20)])('refuses %s, which is no positive integer', async (n) => {
    expect(refusal(await refusing.get(n))).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { notification_number: expect.any(String) } },
    ]);
  });

  it('shows what the action of that number shows, but for the flows', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const { key } = firstTarget(await own.actions.stored(1));
    const at = clock.now();
    await updateHealth(table, own.id, 1, key, [{ at, outcome: 'failed' }]);
    const { flows, ...action } = await own.actions.read(1);
    expect(flows).toEqual([]);
    expect(await own.read(1)).toStrictEqual(action);
    expect(action).toMatchObject({ is_failing: true, last_failure_timestamp: at / 1e6 });
  });

  it('has its test events and their deliveries where flow actions have them', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const { status, json } = await own.call('POST', own.actions.at('1/test'));
    expect(status).toBe(200);
    const [id] = (json as { delivery_ids: string[] }).delivery_ids;
    expect((await own.actions.deliveries(1)).deliveries).toMatchObject([
      { id, trigger: 'ON_NON_COMPLIANT_ENV', event: { test: true } },
    ]);
    expect(refusal(await own.call('POST', own.actions.at(`1/deliveries/${id}/redeliver`)))).toEqual([200, 'OK']);
    expect((await own.call('GET', own.actions.at('1/signing-secret'))).status).toBe(200);
  });
});

describe('GET /organizations/{org}/environments_notifications', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/organizations/${org}/environments_notifications`,
    needs: 'reader',
  });

  it('is a bare array by number, without flow actions', async () => {
    const own = await newOrganization(api);
    expect(await own.list()).toEqual([]);
    await own.put(aNotification({ name: 'b' }));
    await own.actions.put(anAction());
    await own.put(aNotification({ name: 'a' }));
    expect(await own.list()).toEqual([await own.read(1), await own.read(3)]);
  });

  it('goes on past a notification that cannot be read, and says so in the log', async () => {
    const own = await newOrganization(api);
    for (const name of ['broken', 'sound']) await own.put(aNotification({ name }));
    await table.put({ ...currentActionKey(own.id, 1), v: 1, number: 1 });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const listed = await own.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining('Unreadable record: action 1'));
    log.mockRestore();
    expect(listed).toMatchObject([
      { number: 1, unreadable: true },
      { number: 2, name: 'sound' },
    ]);
  });
});

describe('DELETE /organizations/{org}/environments_notifications/{notification_number}', () => {
  describeAccess(api, {
    method: 'DELETE',
    path: (org) => `/organizations/${org}/environments_notifications/1`,
    request: { text: 'null' },
    needs: 'member',
  });

  it('takes the notification away for good, and never gives its number again', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    expect(refusal(await own.remove(1))).toEqual([200, 'OK']);
    for (const answer of [await own.get(1), await own.remove(1), await own.change(1, aNotification())]) {
      expect(refusal(answer)).toEqual(NOT_FOUND);
    }
    await own.put(aNotification());
    expect((await own.list()).map(({ number, name }) => [number, name])).toEqual([[2, 'watch']]);
  });

  it('leaves flow actions alone', async () => {
    const own = await newOrganization(api);
    await own.actions.put(anAction());
    expect(refusal(await own.remove(1))).toEqual(NOT_FOUND);
    expect((await own.actions.get(1)).status).toBe(200);
  });

  it('gives the first answer again under the same Idempotency-Key', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const headers = { 'idempotency-key': 'gone' };
    const remove = () => own.call('DELETE', `${own.collection}/1`, { headers });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 200]);
  });
});
