import { describe, expect, it } from 'vitest';
import { micros, toSeconds } from '#shared/base/time.ts';
import { deploymentsPartition, flowRunsPartition, repoEventPartition } from '#shared/environments/records/keys.ts';
import { readRunning } from '#shared/environments/records/running.ts';
import { compareRunning } from '#shared/environments/rules/compare.ts';
import { dayOf } from '#shared/environments/rules/effects.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, aRepo, fingerprintOf } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { itemsOf } from '#test/support/relay.ts';
import { eventsIn } from './environment-events.ts';
import { settingOf } from './relayed-environments.ts';

const api = await environmentsApi();
const { table } = api.services;
const eventsOf = eventsIn(table);

describe('the expansion of snapshots', () => {
  it('writes one event per row that is not unchanged, under the reserved numbers', async () => {
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
      at: first?.at,
      description: '1 instance started running (from 0 to 1)',
      state: null,
      compliant: null,
      flows: ['web'],
      report: expect.any(String),
      previous: null,
      fingerprint: fingerprintOf(names[0] ?? ''),
    });
    expect(events[4]).toMatchObject({ compliant: false, state: false, at: third?.at });
    expect((await setting.head('prod')).events).toBe(events.length);
  });

  it('orders events like the comparison of the snapshot', async () => {
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

  it('writes events into the lists of the repositories that made the artifacts', async () => {
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

  it('records where each fingerprint runs, under any name, and where it ran last', async () => {
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

  it('records for each flow when an artifact of it last started', async () => {
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
    expect(await deployedAt('web')).toBe(toSeconds(micros(first?.at ?? 0)));
    expect(await deployedAt('other')).toBe(toSeconds(micros(second?.at ?? 0)));
  });

  it('adds starts and stops to the latest trail of each flow, outside the moments of the trail', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.report(anArtifact('api'), { trail: 'later' });
    await setting.report(anArtifact('api'), { flow: 'other', trail: 'first' });
    const before = await setting.trail({ trail: 'later' });
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({}));
    await setting.relay.settle();
    const runtime = async (name: string, trail: string) =>
      readRuntimeEvents(table, setting.id, { flow: await setting.flowId(name), trail: testName(trail) });
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

  it('counts deployments per day and flow, and artifacts of two flows once in total', async () => {
    const setting = await settingOf(api);
    await setting.report(anArtifact('api'), { flow: 'other' });
    await setting.run('prod', onServer({ api: 'api', db: 'db', unknown: 'unknown' }));
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('prod', onServer({ api: 'api', db: 'db' }));
    await setting.relay.settle();
    const [web, other] = [await setting.flowId('web'), await setting.flowId('other')];
    const days = await table.query({ pk: deploymentsPartition(setting.id, await setting.environmentId('prod')) });
    const [first] = await setting.snapshots('prod');
    expect(days).toMatchObject([
      { sk: dayOf(micros(first?.at ?? 0)), counts: { [web]: 3, [other]: 1, '-': 1 }, all: 4 },
    ]);
  });

  it('raises the mark once per snapshot, which causes one more evaluation', async () => {
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
