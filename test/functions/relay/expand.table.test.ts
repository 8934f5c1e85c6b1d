import { describe, expect, it } from 'vitest';
import { compareRunning } from '#shared/runtime/compare.ts';
import {
  deploymentsPartition,
  environmentEventPartition,
  expandedKey,
  flowRunsPartition,
  repoEventPartition,
} from '#shared/store/environment-keys.ts';
import { dayOf } from '#shared/store/expanded.ts';
import { readRunning } from '#shared/store/running.ts';
import { readRuntimeEvents } from '#shared/store/runtime-events.ts';
import type { Item } from '#shared/store/table.ts';
import { toSeconds } from '#shared/time.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, aRepo, fingerprintOf } from '#test/support/evidence.ts';
import { faultyTable } from '#test/support/faults.ts';
import { newNotification } from '#test/support/notified.ts';
import { itemsOf } from '#test/support/relay.ts';
import { type Setting, settingOf } from './environments.ts';

const api = await environmentsApi();
const { table, clock } = api.services;

const eventsOf = async (setting: Setting, env = 'prod'): Promise<Item[]> =>
  table.query({ pk: environmentEventPartition(setting.id, await setting.environmentId(env)) });

/** Everything that snapshots leave behind, without what only says when it was made. */
async function derived(setting: Setting): Promise<unknown[]> {
  const families = /#(?:ENVEVENT|RUNNING|FLOWRUNS|DEPLOYMENTS|RUNTIME|DELIVERY|EXPANDED)(?:#|$)/;
  const items = (await itemsOf(table.name, setting.id)).filter(({ pk }) => families.test(pk));
  return items.map(({ due: _, created: __, ...item }) => item);
}

describe('the expansion of snapshots', () => {
  it('writes an event per row that is not unchanged, under the numbers that the snapshot reserved', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ db: 'db', api: 'api' }));
    await setting.run('prod', onServer({ api: 'api', cache: 'cache' }));
    await setting.attest('generic', { attestation_name: 'scan', is_compliant: false });
    await setting.putPolicy('strict');
    await setting.attach('prod', 'strict');
    await setting.relay.settle();

    const events = await eventsOf(setting);
    const [first, , third] = await setting.snapshots('prod');
    const names = ['api', 'db'].toSorted((a, b) => (fingerprintOf(a) < fingerprintOf(b) ? -1 : 1));
    const changed = ['api', 'cache'].toSorted((a, b) => (fingerprintOf(a) < fingerprintOf(b) ? -1 : 1));
    expect(events.map(({ sk, index, type, name }) => [Number(sk), index, type, name])).toEqual([
      ...names.map((name, i) => [i + 1, 1, 'started', name]),
      ...[
        [3, 2, 'started', 'cache'],
        [4, 2, 'exited', 'db'],
      ],
      ...changed.map((name, i) => [i + 5, 3, 'changed', name]),
    ]);
    expect(events[0]).toMatchObject({
      ...{ at: first?.at, description: '1 instance started running (from 0 to 1)', state: null, compliant: null },
      ...{ flows: ['web'], report: expect.any(String), previous: null, fingerprint: fingerprintOf(names[0] ?? '') },
    });
    expect(events[4]).toMatchObject({ compliant: false, state: false, at: third?.at });
    expect((await setting.head('prod')).events).toBe(events.length);
  });

  it('orders events as the comparison that made the snapshot did', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `service-${i}`);
    const setting = await settingOf(api, names.slice(0, 4));
    const running = (from: number, to: number) =>
      onServer(Object.fromEntries(names.slice(from, to).map((name) => [name, name])));
    await setting.run('prod', running(0, 8));
    await setting.run('prod', running(3, 12));
    await setting.relay.settle();
    const [before, after] = [await setting.content('prod', 1), await setting.content('prod', 2)];
    const now = after.rows.filter(({ annotation }) => annotation.now > 0);
    const events = (await eventsOf(setting)).filter(({ index }) => index === 2);
    expect(events.map(({ type, name }) => [type, name])).toEqual(
      compareRunning(before.rows, now).events.map(({ type, row }) => [type, row.name]),
    );
  });

  it('lists events under the repositories that made the artifacts', async () => {
    const setting = await settingOf(api, []);
    await setting.report(anArtifact('api', { repo_info: aRepo() }));
    await setting.report(anArtifact('api', { repo_info: aRepo({ id: '4712', name: 'acme/other' }) }), {
      flow: 'other',
    });
    await setting.run('prod', onServer({ api: 'api', db: 'db' }));
    await setting.relay.settle();
    const environment = await setting.environmentId('prod');
    const all = await itemsOf(table.name, setting.id);
    const repos = all
      .filter(({ pk }) => pk.startsWith(`${setting.id}#REPOID#`))
      .map(({ pk }) => pk.split('#')[2] ?? '');
    expect(repos).toHaveLength(2);
    for (const repo of repos) {
      const listed = await table.query({ pk: repoEventPartition(setting.id, environment, repo) });
      expect(listed.map(({ name }) => name)).toEqual(['api']);
      const [event] = (await eventsOf(setting)).filter(({ name }) => name === 'api');
      expect({ ...listed[0], pk: '' }).toEqual({ ...event, pk: '' });
    }
  });

  it('says of each fingerprint where it runs, under whatever names, and where it ran last', async () => {
    const setting = await settingOf(api);
    await setting.putEnvironment('test');
    const [prod, test] = [await setting.environmentId('prod'), await setting.environmentId('test')];
    const running = async (name: string) =>
      (await readRunning(table, setting.id, fingerprintOf(name)))
        .map(({ environment, index, running: runs }) => [environment === prod ? 'prod' : 'test', index, runs])
        .toSorted();
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('test', onServer({ api: 'api', same: 'api', db: 'db' }));
    await setting.run('prod', onServer({}));
    await setting.run('test', onServer({ same: 'api', db: 'db' }));
    await setting.run('test', onServer({ same: 'api' }));
    await setting.relay.settle();
    expect(await running('api')).toEqual([
      ['prod', 2, false],
      ['test', 1, true],
    ]);
    expect(await running('db')).toEqual([['test', 3, false]]);
    const [stopped] = await readRunning(table, setting.id, fingerprintOf('db'));
    const [first] = await setting.snapshots('test');
    expect(stopped).toMatchObject({ environment: test, startIndex: 1, startAt: first?.at });
    const flow = await setting.flowId('web');
    expect((await table.query({ pk: flowRunsPartition(setting.id, flow) })).map(({ sk }) => sk)).toEqual(
      [prod, test].sort(),
    );
  });

  it('shows at each flow when something of it last started to run', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.report(anArtifact('db'), { flow: 'other' });
    const deployedAt = async (name: string) =>
      ((await setting.get(`/flows/${setting.org}/${name}`)).json as { last_deployment_at: number | null })
        .last_deployment_at;
    await setting.relay.settle();
    expect(await deployedAt('web')).toBeNull();
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({ db: 'db' }));
    await setting.relay.settle();
    const [first, second] = await setting.snapshots('prod');
    expect(await deployedAt('web')).toBe(toSeconds(first?.at ?? 0));
    expect(await deployedAt('other')).toBe(toSeconds(second?.at ?? 0));
  });

  it('adds starts and stops to the latest trail of each flow, apart from the trail itself', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.report(anArtifact('api'), { trail: 'later' });
    await setting.report(anArtifact('api'), { flow: 'other', trail: 'first' });
    const before = await setting.trail({ trail: 'later' });
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({}));
    await setting.relay.settle();
    const runtime = async (name: string, trail: string) =>
      readRuntimeEvents(table, setting.id, { flow: await setting.flowId(name), trail }, clock.now());
    const snapshots = await setting.snapshots('prod');
    for (const [flow, trail] of [
      ['web', 'later'],
      ['other', 'first'],
    ] as const) {
      const common = { fingerprint: fingerprintOf('api'), slot: 'api', name: 'prod', instances: 1 };
      expect(await runtime(flow, trail)).toEqual([
        {
          ...common,
          environment: await setting.environmentId('prod'),
          type: 'started',
          index: 1,
          at: snapshots[0]?.at,
        },
        {
          ...common,
          environment: await setting.environmentId('prod'),
          type: 'stopped',
          index: 2,
          at: snapshots[1]?.at,
        },
      ]);
    }
    expect(await runtime('web', 'run')).toEqual([]);
    expect((await setting.trail({ trail: 'later' })).last_modified_at).toBe(before.last_modified_at);
  });

  it('counts deployments per day and flow, those of two flows once in all', async () => {
    const setting = await settingOf(api);
    await setting.report(anArtifact('api'), { flow: 'other' });
    await setting.run('prod', onServer({ api: 'api', db: 'db', unknown: 'unknown' }));
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({ api: 'api', db: 'db' }));
    await setting.relay.settle();
    const [web, other] = [await setting.flowId('web'), await setting.flowId('other')];
    const days = await table.query({ pk: deploymentsPartition(setting.id, await setting.environmentId('prod')) });
    const [first] = await setting.snapshots('prod');
    expect(days).toMatchObject([{ sk: dayOf(first?.at ?? 0), counts: { [web]: 3, [other]: 1, '-': 1 }, all: 4 }]);
  });

  it('raises the mark once per snapshot, and evaluates once more after it, not for ever', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect(await setting.head('prod')).toMatchObject({ mark: 1, evaluatedMark: 0 });
    for (let i = 0; i < 3; i += 1) {
      expect((await setting.run('prod', onServer({ api: 'api' }))).status).toBe(200);
      await setting.relay.settle();
      expect(await setting.head('prod')).toMatchObject({ index: 1, mark: 1, evaluatedMark: 1 });
    }
  });
});

/** Three snapshots that nobody has expanded, in an organization that waits for everything. */
async function waitingOrganization(): Promise<Setting> {
  const setting = await settingOf(api);
  await newNotification(api.services, setting.id, [await setting.environmentId('prod')]);
  await setting.putPolicy('strict');
  await setting.attach('prod', 'strict');
  await setting.relay.settle();
  await setting.run('prod', onServer({ api: 'api' }));
  await setting.run('prod', onServer({ api: 'api', rogue: 'rogue' }));
  await setting.run('prod', onServer({ db: 'db' }));
  return setting;
}

describe('the effects of snapshots', () => {
  it('are had once, in whatever order and however often the stream brings the snapshots', async () => {
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
    expect((await setting.told()).map(({ notice }) => [notice.snapshot?.index, notice.eventType]).toSorted()).toEqual([
      [1, 'ARTIFACT_STARTED'],
      [2, 'ARTIFACT_STARTED'],
      [2, 'ENV_NON_COMPLIANT'],
      [3, 'ARTIFACT_EXITED'],
      [3, 'ARTIFACT_EXITED'],
      [3, 'ARTIFACT_STARTED'],
      [3, 'ENV_COMPLIANT'],
    ]);
  });

  it('are the same when two containers expand side by side', async () => {
    const setting = await waitingOrganization();
    const summaries = (await setting.relay.changed()).filter(({ sk }) => sk.startsWith('S#'));
    const done = await Promise.all(summaries.map((summary) => setting.relay.hand([summary])));
    expect([done, setting.relay.logged]).toEqual([[true, true, true], []]);
    expect(await table.get(expandedKey(setting.id, await setting.environmentId('prod')))).toMatchObject({ index: 3 });
    expect((await setting.head('prod')).mark).toBe(3);
    const [day] = await table.query({ pk: deploymentsPartition(setting.id, await setting.environmentId('prod')) });
    expect(day?.['all']).toBe(3);
  });

  it('are all had after any one write failed, done or not', async () => {
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

  it('of a large snapshot are had in pieces: what was done is not done again', async () => {
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
    expect(batches).toBeLessThanOrEqual(3);
    expect(await table.get(expandedKey(setting.id, environment))).toMatchObject({ index: 1, done: 0 });
    const events = await eventsOf(setting);
    expect(events.map(({ sk }) => Number(sk))).toEqual(names.map((_, i) => i + 1));
    expect(new Set(events.map(({ name }) => name)).size).toBe(250);
  });
});
