import { describe, expect, it } from 'vitest';
import { deploymentsPartition, environmentHeadKey, snapshotPartition } from '#shared/environments/records/keys.ts';
import { readRunning } from '#shared/environments/records/running.ts';
import { logicalState } from '#shared/environments/rules/logical.ts';
import { environmentsApi, onServer, policyText } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { newNotification } from '#test/support/records/notified.ts';
import { firstBrokenSnapshot } from '#test/support/snapshot-chain.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { eventsIn } from './environment-events.ts';
import { fillSetting, preparedSetting, type Setting, settledSettings } from './relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;

/** `all` groups `eu` and `us`. */
const prepareGroups = async (setting: Setting) => {
  await fillSetting(setting);
  await setting.putEnvironment('eu');
  await setting.putEnvironment('us');
  await setting.putEnvironment('all', 'logical', { included_environments: ['eu', 'us'] });
  await setting.putPolicy('strict');
};
/** Copies, for tests that check no hashes. */
const grouped = settledSettings(api, prepareGroups);

const eventsOf = async (setting: Setting, env: string) =>
  (await eventsIn(table)(setting, env)).map(
    ({ sk, index, type, name }) => `${Number(sk)} in ${index}: ${name} ${type}`,
  );

describe('the snapshots of a logical environment', () => {
  it('follow those of its members, one for each, with their events and by their time', async () => {
    const setting = await preparedSetting(api, prepareGroups);
    await setting.run('eu', onServer({ api: 'api' }));
    await setting.run('us', onServer({ api: 'api', db: 'db' }));
    await setting.run('eu', onServer({}));
    await setting.relay.settle();
    const [eu, us] = [await setting.environmentId('eu'), await setting.environmentId('us')];
    const snapshots = await setting.snapshots('all');
    const contents = await Promise.all(snapshots.map(({ index }) => setting.content('all', index)));
    // The stream keeps the order of one environment's snapshots, but not of different environments.
    expect(contents.map(({ members }) => members).at(-1)).toEqual({ [eu]: 2, [us]: 1 });
    expect(contents.map(({ gained }) => gained?.environment).toSorted()).toEqual([eu, eu, us].toSorted());
    expect(contents.flatMap(({ rows, policies }) => [...rows, ...policies])).toEqual([]);
    const gained = contents.map(({ gained: one }) => one?.index);
    const members = await Promise.all(
      contents.map(async ({ gained: one }) => await setting.snapshots(one?.environment === eu ? 'eu' : 'us')),
    );
    snapshots.forEach((snapshot, i) => {
      const member = members[i]?.find(({ index }) => index === gained[i]);
      expect(snapshot.events).toBe(member?.events);
      expect(snapshot.at).toBeGreaterThanOrEqual(member?.at ?? Number.NaN);
    });
    expect(firstBrokenSnapshot(setting.id, await setting.environmentId('all'), snapshots)).toBe(null);
    expect((await eventsOf(setting, 'all')).map((event) => event.replace(/^.*: /, '')).toSorted()).toEqual([
      ...['api exited', 'api started', 'api started', 'db started'],
    ]);
    expect((await setting.head('all')).events).toBe(4);
  });

  it('have the state of the members: false if any is false, else null if all are unknown', async () => {
    const setting = await grouped();
    const state = async () => {
      await setting.relay.settle();
      const [eu, us, all] = await Promise.all(['eu', 'us', 'all'].map((name) => setting.head(name)));
      expect(all?.state).toBe(logicalState([eu?.state ?? null, us?.state ?? null]));
      return all?.state;
    };
    await setting.run('eu', onServer({ api: 'api' }));
    expect(await state()).toBe(null);
    await setting.attach('eu', 'strict');
    expect(await state()).toBe(true);
    await setting.run('us', onServer({ rogue: 'rogue' }));
    expect(await state()).toBe(true);
    await setting.attach('us', 'strict');
    expect(await state()).toBe(false);
    await setting.run('us', onServer({}));
    expect(await state()).toBe(true);
    const { index } = await setting.head('all');
    expect((await setting.snapshots('all')).map(({ compliant }) => compliant).at(-1)).toBe(true);
    await setting.run('us', onServer({}));
    await setting.relay.settle();
    expect((await setting.head('all')).index).toBe(index);
  });

  it("have the decisions of the group's policies, combined with the verdicts of the members", async () => {
    const setting = await grouped();
    await setting.run('eu', onServer({ api: 'api', db: 'db' }));
    await setting.run('us', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect((await setting.head('all')).state).toBe(null);
    await setting.putPolicy('scanned', policyText('attestations: [{name: scan, type: generic}]'));
    await setting.attach('all', 'scanned');
    await setting.relay.settle();
    expect((await setting.head('all')).state).toBe(false);
    const scan = (name: string) =>
      setting.attest('generic', { attestation_name: 'scan', artifact_fingerprint: fingerprintOf(name) });
    await scan('api');
    await setting.relay.settle();
    const us = await setting.environmentId('us');
    const before = await setting.content('all');
    expect(before.policies.map(({ name }) => name)).toEqual(['scanned']);
    expect(before.rows).toHaveLength(3);
    await setting.run('us', onServer({ api: 'api', extra: 'db' }));
    await setting.relay.settle();
    const rows = (await setting.content('all')).rows.map(({ name, environment, compliant, annotation }) => [
      ...[name, environment === us ? 'us' : 'eu', compliant, annotation.type],
    ]);
    expect(rows.toSorted()).toEqual([
      ...[
        ['api', 'eu', true, 'unchanged'],
        ['api', 'us', true, 'unchanged'],
        ['db', 'eu', false, 'unchanged'],
        ['extra', 'us', false, 'started'],
      ],
    ]);
    await scan('db');
    await setting.allow('all', 'db');
    await setting.detach('all', 'scanned');
    await setting.relay.settle();
    expect(await setting.head('all')).toMatchObject({ state: null });
    expect((await setting.content('all')).rows).toEqual([]);
  });

  it('follow changes of the members, once per change', async () => {
    const setting = await grouped();
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('eu', onServer({ db: 'db' }));
    await setting.relay.settle();
    expect((await setting.head('all')).index).toBe(1);
    await setting.call('PUT', `/environments/${setting.org}/all/join`, { json: { physical_env_name: 'prod' } });
    for (let i = 0; i < 2; i += 1) {
      setting.relay.restart();
      await setting.relay.settle();
      await setting.relay.hand([{ ...(await headItem(setting)) }]);
    }
    const [prod, eu] = [await setting.environmentId('prod'), await setting.environmentId('eu')];
    expect((await setting.head('all')).index).toBe(2);
    expect(await setting.content('all')).toEqual({ rows: [], policies: [], members: { [prod]: 1, [eu]: 1 } });
    expect(await eventsOf(setting, 'all')).toEqual(['1 in 1: db started']);
    await setting.call('PUT', `/environments/${setting.org}/prod/archive`, { text: 'null' });
    await setting.relay.settle();
    expect(await setting.content('all')).toMatchObject({ members: { [eu]: 1 } });
    await setting.run('eu', onServer({}));
    await setting.relay.settle();
    expect(await setting.content('all')).toMatchObject({ members: { [eu]: 2 } });
    expect(await eventsOf(setting, 'all')).toEqual(['1 in 1: db started', '2 in 4: db exited']);
  });

  it("fire notifications like any other, and write no effects that the members' snapshots have written", async () => {
    const setting = await grouped();
    const all = await setting.environmentId('all');
    await newNotification(api.services, setting.id, [all]);
    await setting.attach('eu', 'strict');
    await setting.run('eu', onServer({ api: 'api' }));
    await setting.relay.settle();
    await setting.run('eu', onServer({ rogue: 'rogue' }));
    await setting.relay.settle();
    expect(
      (await setting.deliveries()).map(({ notice }) => `${notice.environment} ${notice.eventType}`).toSorted(),
    ).toEqual([...['all ARTIFACT_EXITED', 'all ARTIFACT_STARTED', 'all ARTIFACT_STARTED', 'all ENV_NON_COMPLIANT']]);
    const running = await readRunning(table, setting.id, fingerprintOf('rogue'));
    expect(running.map(({ environment }) => environment)).toEqual([await setting.environmentId('eu')]);
    expect(await table.query({ pk: deploymentsPartition(setting.id, all) })).toEqual([]);
    expect((await setting.head('all')).mark).toBe(0);
  });

  it('are equal after repeated, reordered and failed calls', async () => {
    const setting = await preparedSetting(api, prepareGroups);
    for (let i = 0; i < 3; i += 1) {
      await setting.run('eu', onServer({ [`a${i}`]: `a${i}` }));
      await setting.run('us', onServer({ [`b${i}`]: `b${i}` }));
    }
    const changed = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    await Promise.all(changed.toReversed().map((item) => setting.relay.hand([item])));
    expect(setting.relay.logged).toEqual([]);
    await setting.relay.hand(changed);
    const { id, index, events } = await setting.head('all');
    expect([index, events]).toEqual([6, 10]);
    expect(firstBrokenSnapshot(setting.id, id, await setting.snapshots('all'))).toBe(null);

    await setting.run('eu', onServer({}));
    const next = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    let failed = 0;
    setting.relay.services.table = faultyTable(table, ({ command, input }) => {
      const isAppend = command === 'TransactWrite' && JSON.stringify(input).includes(snapshotPartition(setting.id, id));
      if (!isAppend || failed > 0) return undefined;
      failed += 1;
      return 'timeout-after';
    });
    expect([await setting.relay.hand(next), failed]).toEqual([false, 1]);
    expect(await setting.relay.hand(next)).toBe(true);
    expect((await setting.head('all')).index).toBe(7);
  });
});

async function headItem(setting: Setting) {
  const item = await table.get(environmentHeadKey(setting.id, await setting.environmentId('all')));
  if (!item) throw new Error('The group is there');
  return item;
}
