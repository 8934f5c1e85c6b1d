import { describe, expect, it } from 'vitest';
import { deploymentsPartition, expandedKey } from '#shared/environments/records/keys.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { newNotification } from '#test/support/records/notified.ts';
import { itemsOf } from '#test/support/relay.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { eventsIn } from './environment-events.ts';
import { fillSetting, type Setting, settingOf, settledSettings } from './relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;
const eventsOf = eventsIn(table);

/** All items that snapshots cause, without times of creation. */
async function derived(setting: Setting): Promise<unknown[]> {
  const families = /#(?:ENVEVENT|RUNNING|FLOWRUNS|DEPLOYMENTS|RUNTIME|DELIVERY|EXPANDED|SHA)(?:#|$)/;
  const items = (await itemsOf(table.name, setting.id)).filter(({ pk }) => families.test(pk));
  return items.map(({ due: _, created: __, ...item }) => item);
}

/** Copies, because the tests of this file compare what snapshots cause, and no hashes. */
const withNotifications = settledSettings(api, async (setting) => {
  await fillSetting(setting);
  await newNotification(api.services, setting.id, [await setting.environmentId('prod')]);
  await setting.putPolicy('strict');
  await setting.attach('prod', 'strict');
});

/** Three snapshots that are not expanded, in an organization with notifications for all triggers. */
async function waitingOrganization(): Promise<Setting> {
  const setting = await withNotifications();
  await setting.run('prod', onServer({ api: 'api' }));
  await setting.run('prod', onServer({ api: 'api', rogue: 'rogue' }));
  await setting.run('prod', onServer({ db: 'db' }));
  return setting;
}

describe('the effects of snapshots', () => {
  it('are applied once, for any order and any repetition of stream records', async () => {
    const setting = await waitingOrganization();
    const summaries = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    expect(summaries).toHaveLength(3);
    for (const summary of summaries.toReversed()) expect(await setting.relay.hand([summary])).toBe(true);
    const once = await derived(setting);
    const { mark } = await setting.head('prod');
    setting.relay.restart();
    for (const summary of summaries) expect(await setting.relay.hand([summary, summary])).toBe(true);
    await Promise.all([setting.relay.hand(summaries), setting.relay.hand(summaries.toReversed())]);
    expect(await derived(setting)).toEqual(once);
    expect([mark, (await setting.head('prod')).mark]).toEqual([3, 3]);
    expect(
      (await setting.deliveries()).map(({ notice }) => [notice.snapshot?.index, notice.eventType]).toSorted(),
    ).toEqual([
      [1, 'ARTIFACT_STARTED'],
      [2, 'ARTIFACT_STARTED'],
      [2, 'ENV_NON_COMPLIANT'],
      [3, 'ARTIFACT_EXITED'],
      [3, 'ARTIFACT_EXITED'],
      [3, 'ARTIFACT_STARTED'],
      [3, 'ENV_COMPLIANT'],
    ]);
  });

  it('are equal if two containers expand in parallel', async () => {
    const setting = await waitingOrganization();
    const summaries = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    const done = await Promise.all(summaries.map((summary) => setting.relay.hand([summary])));
    expect([done, setting.relay.logged]).toEqual([[true, true, true], []]);
    expect(await table.get(expandedKey(setting.id, await setting.environmentId('prod')))).toMatchObject({ index: 3 });
    expect((await setting.head('prod')).mark).toBe(3);
    const [day] = await table.query({ pk: deploymentsPartition(setting.id, await setting.environmentId('prod')) });
    expect(day?.['all']).toBe(3);
  });

  it('are complete after any single write failed, whether it was stored or not', async () => {
    const undisturbed = await waitingOrganization();
    await undisturbed.relay.hand((await undisturbed.relay.changed()).filter(({ sk }) => sk.startsWith('S#')));
    const shape = async (setting: Setting) => (await derived(setting)).length;
    const expected = await shape(undisturbed);
    for (const fault of ['timeout-before', 'timeout-after'] as const) {
      for (const [command, nth] of [
        ['BatchWrite', 0],
        ['BatchWrite', 2],
        ['Update', 0],
        ['Update', 3],
        ['TransactWrite', 0],
        ['TransactWrite', 1],
        ['TransactWrite', 3],
      ] as const) {
        const setting = await waitingOrganization();
        const summaries = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
        let failed = false;
        setting.relay.services.table = faultyTable(table, (call) => {
          const now = !failed && call.command === command && call.before >= nth;
          failed ||= now;
          return now ? fault : undefined;
        });
        expect([command, nth, await setting.relay.hand(summaries), failed]).toEqual([command, nth, false, true]);
        expect(await setting.relay.hand(summaries)).toBe(true);
        expect([fault, command, nth, await shape(setting)]).toEqual([fault, command, nth, expected]);
        expect((await setting.head('prod')).mark).toBe(3);
        const [day] = await table.query({ pk: deploymentsPartition(setting.id, await setting.environmentId('prod')) });
        expect(day?.['all']).toBe(3);
      }
    }
  });

  it('the effects of a large snapshot are applied in pieces, and finished pieces are not repeated', async () => {
    const setting = await settingOf(api, []);
    const names = Array.from({ length: 250 }, (_, i) => `service-${i}`);
    await setting.run('prod', onServer(Object.fromEntries(names.map((name) => [name, name]))));
    const summaries = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    setting.relay.services.table = faultyTable(table, ({ command, input }) =>
      command === 'BatchWrite' && JSON.stringify(input).includes('"0000000201"') ? 'timeout-before' : undefined,
    );
    expect(await setting.relay.hand(summaries)).toBe(false);
    const environment = await setting.environmentId('prod');
    expect(await table.get(expandedKey(setting.id, environment))).toMatchObject({ index: 0, done: 200 });

    let batches = 0;
    setting.relay.services.table = faultyTable(table, ({ command }) => {
      if (command === 'BatchWrite') batches += 1;
      return undefined;
    });
    expect(await setting.relay.hand(summaries)).toBe(true);
    // Of the fifty that are left an event each, a start, an item of the history and an entry for searches, and one that something ran there.
    expect(batches).toBeLessThanOrEqual(9);
    expect(await table.get(expandedKey(setting.id, environment))).toMatchObject({ index: 1, done: 0 });
    const events = await eventsOf(setting);
    expect(events.map(({ sk }) => Number(sk))).toEqual(names.map((_, i) => i + 1));
    expect(new Set(events.map(({ name }) => name)).size).toBe(250);
  });
});
