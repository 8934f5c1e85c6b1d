import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { tableAround } from '#test/support/table/faults.ts';
import { refusal } from '../actions/actions-api.ts';
import { aNotification, newOrganization, notificationsApi } from './notifications-api.ts';

const api = await notificationsApi();
const sound = api.services.table;

/** Runs `first` just before the first transaction of `work`, which has read all its data by then. */
async function inBetween<T>(first: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const aside = new AsyncLocalStorage<true>();
  api.services.table = tableAround(sound, async ({ command, before }, send) => {
    if (!aside.getStore() && command === 'TransactWrite' && before === 0) await aside.run(true, first);
    return send();
  });
  try {
    return await work();
  } finally {
    api.services.table = sound;
  }
}

describe('an environment that is archived while a notification with it is saved', () => {
  const ARCHIVED = [400, { 'environments[0]': expect.stringContaining('has been archived') }];

  it('is not in a new notification', async () => {
    const own = await newOrganization(api);
    const answer = await inBetween(
      () => own.archive('prod'),
      () => own.put(aNotification()),
    );
    expect([answer.status, (answer.json as { errors: unknown }).errors]).toEqual(ARCHIVED);
    expect(await own.list()).toEqual([]);
  });

  it.each(['put', 'change'] as const)('is not in a notification that is saved again by %s', async (how) => {
    const own = await newOrganization(api);
    await own.newEnvironment('test');
    await own.put(aNotification({ environments: ['test'] }));
    const next = aNotification({ environments: ['prod'] });
    const answer = await inBetween(
      () => own.archive('prod'),
      () => (how === 'put' ? own.put(next) : own.change(1, next)),
    );
    expect([answer.status, (answer.json as { errors: unknown }).errors]).toEqual(ARCHIVED);
    expect(await own.read(1)).toMatchObject({ environments: ['test'] });
  });

  it('is removed from a notification that was saved just before', async () => {
    const own = await newOrganization(api);
    await own.newEnvironment('test');
    const save = async () => {
      expect(refusal(await own.put(aNotification({ environments: ['prod', 'test'] })))).toEqual([200, 'OK']);
    };
    expect(await inBetween(save, () => own.archive('prod'))).toBe('again');
    expect(await own.archive('prod')).toBe('done');
    expect(await own.read(1)).toMatchObject({ environments: ['test'] });
  });
});
