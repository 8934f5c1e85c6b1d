import { describe, expect, it, vi } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { toSeconds } from '#shared/base/time.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { environmentEventPartition, expandedKey } from '#shared/environments/records/keys.ts';
import { readArchivedEnvironments } from '#shared/environments/records/sweep-positions.ts';
import { sweepSnapshots } from '#shared/environments/sweeps/sweep-snapshots.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { deliveryPartition } from '#shared/notifications/records/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { keyIn } from '#shared/table/keys.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { newNotification } from '#test/support/records/notified.ts';
import { eventsIn } from '../environment-events.ts';
import { type Setting, settingOf } from '../relayed-environments.ts';

const api = await environmentsApi();
const { table, clock } = api.services;

/** Sweeps the organization, and processes the messages that the sweep sent. @returns the log lines about this organization */
async function sweep(setting: Setting, { remainingMillis = () => Number.POSITIVE_INFINITY } = {}): Promise<string[]> {
  const lines: string[] = [];
  const log = (message: string, facts: Record<string, unknown>) => {
    if (facts['organization'] === setting.id) lines.push(message);
  };
  const isTime = () => remainingMillis() > 10_000;
  const parts = new SweepParts(log, isTime);
  const context = { services: setting.relay.services, memory: new EnvironmentMemory(), log, evaluationsOf };
  await heldTo('relay', RELAY_USES, () => sweepSnapshots(context, parts, setting.id));
  if (parts.failures.length > 0) throw new AggregateError(parts.failures, `${parts.failures.length} parts failed`);
  await setting.relay.expand();
  return lines;
}

const eventsOf = async (setting: Setting, env: string) =>
  (await eventsIn(table)(setting, env)).map(({ type, name }) => `${name} ${type}`);
const LOST = 'Events that the stream did not bring were relayed';

describe('the sweep for snapshots', () => {
  it('expands a snapshot that the stream did not bring, after it has settled, and notifies', async () => {
    const setting = await settingOf(api);
    await setting.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    await newNotification(api.services, setting.id, [await setting.environmentId('prod')]);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({ db: 'db' }));
    expect([await sweep(setting), await eventsOf(setting, 'prod')]).toEqual([[], []]);
    clock.advance(SETTLING_MICROS);
    expect(await sweep(setting, { remainingMillis: () => 5_000 })).toEqual([]);
    expect(await sweep(setting)).toEqual([LOST]);
    expect(await eventsOf(setting, 'prod')).toHaveLength(3);
    expect(await setting.deliveries()).toHaveLength(3);
    expect((await setting.head('prod')).mark).toBe(2);
    // Snapshots of the group have the time of the member's snapshot, so they have settled already.
    expect(await sweep(setting)).toEqual([LOST]);
    expect(await eventsOf(setting, 'all')).toEqual(['api started', ...(await eventsOf(setting, 'prod')).slice(1)]);
    expect(await sweep(setting)).toEqual([]);
    expect(await setting.deliveries()).toHaveLength(3);
  });

  it('logs a snapshot that the stream did not bring once, also if its message is lost and the process starts again', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    clock.advance(SETTLING_MICROS);
    const lines = async () => {
      const found: string[] = [];
      const log = (message: string) => void found.push(message);
      const context = { services: setting.relay.services, memory: new EnvironmentMemory(), log, evaluationsOf };
      await heldTo('relay', RELAY_USES, () => sweepSnapshots(context, new SweepParts(log, () => true), setting.id));
      return found;
    };
    expect([await lines(), await lines()]).toEqual([[LOST], []]);
    // The messages of both sweeps are still there. The next snapshot is another lost event.
    await setting.run('prod', onServer({ db: 'db' }));
    clock.advance(SETTLING_MICROS);
    expect([await lines(), await lines()]).toEqual([[LOST], []]);
    expect([await sweep(setting), await eventsOf(setting, 'prod')]).toEqual([
      [],
      expect.arrayContaining(['api started']),
    ]);
  });

  it('skips an environment whose expansion stored progress in the last two minutes', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    const id = await setting.environmentId('prod');
    const store = (at: number) =>
      table.write({ put: { ...expandedKey(setting.id, id), v: 1, index: 0, done: 0, at }, refused: () => 'refused' });
    clock.advance(SETTLING_MICROS);
    await store(clock.now() - 1_000_000);
    expect([await sweep(setting), await eventsOf(setting, 'prod')]).toEqual([[], []]);
    clock.advance(SETTLING_MICROS);
    expect([await sweep(setting), await eventsOf(setting, 'prod')]).toEqual([[LOST], ['api started']]);
  });

  it('expands the snapshots of an archived environment, and then removes it from the list', async () => {
    const setting = await settingOf(api);
    const archive = () => setting.call('PUT', `/environments/${setting.org}/prod/archive`);
    const id = await setting.environmentId('prod');
    const events = async () => (await table.query({ pk: environmentEventPartition(setting.id, id) })).length;
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    await setting.run('prod', onServer({ db: 'db' }));
    expect((await archive()).status).toBe(200);
    expect(await readArchivedEnvironments(table, setting.id)).toEqual([id]);
    expect([await sweep(setting), await events()]).toEqual([[], 1]);
    clock.advance(SETTLING_MICROS);
    expect([await sweep(setting), await events()]).toEqual([[LOST], 3]);
    expect(await sweep(setting)).toEqual([]);
    expect(await readArchivedEnvironments(table, setting.id)).toEqual([]);
  });

  it('does not list an archived environment whose snapshots were all expanded', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect((await setting.call('PUT', `/environments/${setting.org}/prod/archive`)).status).toBe(200);
    expect(await readArchivedEnvironments(table, setting.id)).toEqual([]);
  });

  it('finds nothing if the stream brought everything', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    clock.advance(SETTLING_MICROS);
    expect(await sweep(setting)).toEqual([]);
  });

  it('notifies once of an allowed artifact that the stream did not bring', async () => {
    const setting = await settingOf(api);
    await newNotification(api.services, setting.id, [await setting.environmentId('prod')], ['ON_ALLOWED_ARTIFACT']);
    await setting.allow('prod', 'rogue');
    await sweep(setting);
    expect(await setting.deliveries()).toEqual([]);
    clock.advance(SETTLING_MICROS);
    expect([await sweep(setting), await sweep(setting)]).toEqual([[LOST], []]);
    expect((await setting.deliveries()).map(({ notice }) => notice.artifact?.name)).toEqual(['rogue']);
  });

  it('creates the missing deliveries since the instant of a replay by an operator', async () => {
    const setting = await settingOf(api);
    await newNotification(api.services, setting.id, [await setting.environmentId('prod')], ['ON_STARTED_ARTIFACT']);
    const forget = async () => {
      for (const { id } of await setting.deliveries()) {
        const key = keyIn(deliveryPartition(setting.id, 1, monthOf(id)), id);
        await table.write({ remove: key });
      }
    };
    const since: number[] = [];
    for (let i = 0; i < 25; i += 1) {
      since.push(toSeconds(clock.now()));
      await setting.run('prod', onServer({ [`service-${i}`]: `service-${i}` }));
    }
    await setting.relay.settle();
    await forget();
    expect(await sweep(setting)).toEqual([]);
    const replay = async (at: number | undefined) => {
      const command = { command: 'replay-events', since: at, organization: setting.org };
      const answer = await heldTo('operator', OPERATOR_USES, () => runOperator(api.services, command));
      expect(answer).toMatchObject({ ok: true, organizations: 1 });
    };
    const notifiedIndexes = async () =>
      (await setting.deliveries()).map(({ notice }) => notice.snapshot?.index).toSorted();
    await replay(since[23]);
    expect([await sweep(setting), await sweep(setting)]).toEqual([[LOST], []]);
    expect(await notifiedIndexes()).toEqual([24, 25]);
    await replay(since[0]);
    expect([await sweep(setting), await sweep(setting)]).toEqual([[LOST], []]);
    expect(await notifiedIndexes()).toHaveLength(25);
    await replay(since[0]);
    expect([await sweep(setting), (await notifiedIndexes()).length]).toEqual([[], 25]);
  });

  it('applies changed members of a group that the stream did not bring', async () => {
    const setting = await settingOf(api);
    await setting.putEnvironment('all', 'logical', { included_environments: [] });
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    await setting.call('PUT', `/environments/${setting.org}/all/join`, { json: { physical_env_name: 'prod' } });
    await sweep(setting);
    expect(await setting.content('all')).toMatchObject({ members: { [await setting.environmentId('prod')]: 1 } });
  });

  it('fails for one environment alone, and the next sweep tries again', async () => {
    const setting = await settingOf(api);
    await setting.putEnvironment('test');
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('test', onServer({ api: 'api' }));
    clock.advance(SETTLING_MICROS);
    const { expansions } = setting.relay.services;
    const prod = await setting.environmentId('prod');
    const send = expansions.send.bind(expansions);
    const failing = vi.spyOn(expansions, 'send').mockImplementation(async (messages) => {
      if (JSON.stringify(messages).includes(prod)) throw new Error('The queue does not answer');
      return send(messages);
    });
    await expect(sweep(setting)).rejects.toThrow('1 parts failed');
    failing.mockRestore();
    await setting.relay.expand();
    expect([await eventsOf(setting, 'prod'), await eventsOf(setting, 'test')]).toEqual([[], ['api started']]);
    expect(await sweep(setting)).toEqual([LOST]);
    expect(await eventsOf(setting, 'prod')).toEqual(['api started']);
  });
});
