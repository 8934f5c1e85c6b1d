import { describe, expect, it } from 'vitest';
import { idAt } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { fromSeconds, micros } from '#shared/base/time.ts';
import { readRuntimeEvents, runtimeItem } from '#shared/evidence/records/runtime-events.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { countingTable } from '#test/support/table/units.ts';
import { settingOf } from './relayed-environments.ts';

const api = await environmentsApi();
const sound = api.services.table;
const { clock } = api.services;
const API = fingerprintOf('api');
const DAY = 24 * 3600 * 1_000_000;

interface ArtifactJson {
  running: unknown[];
  exited: unknown[];
  history: { event: string; timestamp: number }[];
}

describe('runtime facts in answers', () => {
  it('show where an artifact runs and ran, with its history', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.putEnvironment('test');
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('test', onServer({ api: 'api' }));
    await setting.run('prod', onServer({}));
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.run('test', onServer({}));
    await setting.relay.settle();
    const { json } = await setting.get(`/artifacts/${setting.org}/web/fingerprint/${API}`);
    const shown = json as ArtifactJson;
    expect(shown.running).toEqual([{ environment_name: 'prod', snapshot_index: 3 }]);
    expect(shown.exited).toEqual([{ environment_name: 'test', snapshot_index: 2 }]);
    const texts = shown.history.map(({ event }) => event);
    expect(texts).toEqual([
      'api reported',
      'Started running in prod#1 environment',
      'Started running in test#1 environment',
      'No longer running in prod#2 environment',
      'Started running in prod#3 environment',
      'No longer running in test#2 environment',
    ]);
    const times = shown.history.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => a - b));

    const { json: listed } = await setting.get(`/artifacts/${setting.org}`);
    const [artifact] = listed as ArtifactJson[];
    expect([artifact?.running, artifact?.exited]).toEqual([shown.running, shown.exited]);
    expect(artifact?.history.map(({ event }) => event)).toEqual(
      texts.filter((text) => !text.includes('prod#1') && !text.includes('prod#2')),
    );
  });

  it('stand among the events of the trail, ordered by time', async () => {
    const setting = await settingOf(api, ['api']);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    await setting.attest('generic', { attestation_name: 'scan' });
    await setting.run('prod', onServer({}));
    await setting.relay.settle();
    const { events, last_modified_at: modified } = await setting.trail();
    expect(events.map(({ type }) => type)).toEqual([
      ...['trail_reported', 'artifact_creation_reported', 'artifact_started_running'],
      ...['trail_attestation_reported', 'artifact_stopped_running'],
    ]);
    const [first] = await setting.snapshots('prod');
    const started = events[2];
    const flow = await setting.flowId('web');
    expect(started).toEqual({
      type: 'artifact_started_running',
      timestamp: (first?.at ?? 0) / 1e6,
      org_id: setting.id,
      flow_id: flow,
      trail_id: events[0]?.['trail_id'],
      git_commit_info: null,
      repo_info: null,
      artifact_fingerprint: API,
      template_reference_name: 'api',
      replica_number: 1,
      environment_id: await setting.environmentId('prod'),
      environment_name: 'prod',
      snapshot_index: 1,
    });
    const stopped = events[4] ?? { timestamp: 0 };
    expect(stopped).not.toHaveProperty('replica_number');
    expect(fromSeconds(stopped.timestamp)).toBeGreaterThan(fromSeconds(modified));
  });

  it('are the newest 200 of a job that started and stopped 2,000 times, and cost no larger read', async () => {
    const setting = await settingOf(api, ['api']);
    const place = { flow: await setting.flowId('web'), trail: testName<TrailName>('run') };
    const environment = await setting.environmentId('prod');
    const now = clock.now();
    const event = (i: number, at: number) =>
      runtimeItem(setting.id, place, idAt(micros(at), `event ${i}`), {
        at: micros(at),
        type: i % 2 === 0 ? ('started' as const) : ('stopped' as const),
        fingerprint: API,
        slot: 'api',
        environment,
        name: 'prod',
        index: i + 1,
        instances: 1,
      });
    const costOf = async () => {
      const { table, units } = countingTable(sound);
      api.services.table = table;
      try {
        const { events } = await setting.trail();
        return { read: units.read, events: events.length };
      } finally {
        api.services.table = sound;
      }
    };
    const before = await costOf();
    await sound.putMany(Array.from({ length: 300 }, (_, i) => event(3_700 + i, now - (300 - i) * 1000)));
    const few = await costOf();
    await sound.putMany(Array.from({ length: 3_700 }, (_, i) => event(i, now - DAY / 24 - (4_000 - i) * 1000)));
    expect(await costOf()).toEqual(few);
    expect(few.events).toBe(before.events + 200);
    // A page of events reads at most 200 small items, for any length of the history.
    expect(few.read - before.read).toBeLessThanOrEqual(32);
    const shown = await readRuntimeEvents(sound, setting.id, place);
    expect(shown.map(({ index }) => index)).toEqual(Array.from({ length: 200 }, (_, i) => 3_801 + i));
  });
});
