import { describe, expect, it } from 'vitest';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, shaOf } from '#test/support/evidence.ts';
import { newNotification } from '#test/support/records/notified.ts';
import { type Setting, settingOf } from './relayed-environments.ts';

const api = await environmentsApi();

/** An organization with a notification for `prod`, for all triggers or for some. */
async function waiting(...triggers: Parameters<typeof newNotification>[3][]): Promise<Setting> {
  const setting = await settingOf(api);
  await newNotification(api.services, setting.id, [await setting.environmentId('prod')], ...triggers);
  return setting;
}

const eventTypes = async (setting: Setting): Promise<string[]> =>
  (await setting.deliveries()).map(({ notice }) => `${notice.eventType} ${notice.snapshot?.index}`).toSorted();

describe('notifications of environments', () => {
  it('name the started artifact, its provenance and the snapshot', async () => {
    const setting = await waiting(['ON_STARTED_ARTIFACT']);
    await setting.run('prod', onServer({ api: 'api', rogue: 'rogue' }));
    await setting.run('prod', onServer({}));
    await setting.relay.settle();
    const sent = await setting.deliveries();
    const notices = new Map(sent.map(({ notice }) => [notice.artifact?.name, notice]));
    expect([...notices.keys()].toSorted()).toEqual(['api', 'rogue']);
    expect(notices.get('api')).toMatchObject({
      trigger: 'ON_STARTED_ARTIFACT',
      eventType: 'ARTIFACT_STARTED',
      org: setting.org,
      environment: 'prod',
      description: '1 instance started running (from 0 to 1)',
      snapshot: { index: 1, status: 'unknown' },
      htmlPath: `/${setting.org}/environments/prod/snapshots/1`,
      apiPath: `/api/v2/snapshots/${setting.org}/prod/1`,
      artifact: {
        name: 'api',
        fingerprint: fingerprintOf('api'),
        provenance: {
          flow: 'web',
          status: 'compliant',
          commit: shaOf('c'),
          build_url: 'https://ci.example/builds/1',
          commit_url: `https://git.example/acme/web/commit/${shaOf('c')}`,
        },
      },
    });
    expect(notices.get('rogue')?.artifact).toEqual({ name: 'rogue', fingerprint: fingerprintOf('rogue') });
    expect(setting.relay.take()).toHaveLength(2);
  });

  it('are sent once per start, exit and change of state, and not for unchanged reports', async () => {
    const setting = await waiting();
    await setting.putPolicy('strict');
    await setting.attach('prod', 'strict');
    const days: Record<string, string>[] = [
      { api: 'api' },
      { api: 'api' },
      { api: 'api', rogue: 'rogue' },
      { api: 'api' },
    ];
    for (const running of days) {
      for (let i = 0; i < 3; i += 1) {
        await setting.run('prod', onServer(running));
        await setting.relay.settle();
      }
    }
    expect(await eventTypes(setting)).toEqual([
      ...['ARTIFACT_EXITED 3', 'ARTIFACT_STARTED 1', 'ARTIFACT_STARTED 2', 'ENV_COMPLIANT 3', 'ENV_NON_COMPLIANT 2'],
    ]);
    const [turned] = (await setting.deliveries()).filter(({ notice }) => notice.trigger === 'ON_NON_COMPLIANT_ENV');
    expect(turned?.notice).toMatchObject({ description: "Environment 'prod' became non-compliant" });
    expect(turned?.notice).not.toHaveProperty('artifact');
    expect(setting.relay.take()).toHaveLength(5);
  });

  it('compare a state after an unknown one with the last known state', async () => {
    const setting = await waiting(['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV']);
    await setting.putPolicy('strict');
    await setting.run('prod', onServer({ rogue: 'rogue' }));
    await setting.attach('prod', 'strict');
    await setting.detach('prod', 'strict');
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect(await eventTypes(setting)).toEqual([]);
    // The same artifact is evaluated again: nothing starts or exits in the snapshot, and the state changes.
    await setting.attach('prod', 'strict');
    await setting.relay.settle();
    const { index } = await setting.head('prod');
    expect(await eventTypes(setting)).toEqual([`ENV_COMPLIANT ${index}`]);
  });

  it('notifications of environments of the allow-list are sent once per artifact, and not for later reasons', async () => {
    const setting = await waiting(['ON_ALLOWED_ARTIFACT']);
    await setting.allow('prod', 'db');
    await setting.run('prod', onServer({ rogue: 'rogue' }));
    await setting.relay.settle();
    expect((await setting.deliveries()).map(({ notice }) => [notice.snapshot, notice.htmlPath])).toEqual([
      [undefined, `/${setting.org}/environments/prod`],
    ]);
    await setting.putPolicy('strict');
    await setting.attach('prod', 'strict');
    await setting.allow('prod', 'rogue', { description: 'known to us' });
    await setting.allow('prod', 'rogue', { description: 'still known to us' });
    setting.relay.restart();
    await setting.relay.settle();
    const [, second, ...more] = await setting.deliveries();
    expect(more).toEqual([]);
    expect(second?.notice).toMatchObject({
      eventType: 'ARTIFACT_ALLOWED',
      environment: 'prod',
      snapshot: { index: 3, status: 'compliant' },
      description: expect.stringMatching(/^Artifact 'rogue' was allowed in 'prod' by .+: known to us$/),
      artifact: { name: 'rogue', fingerprint: fingerprintOf('rogue') },
    });
  });

  it('are sent only if they name the environment, with its present name', async () => {
    const setting = await waiting(['ON_STARTED_ARTIFACT', 'ON_SCALED_ARTIFACT']);
    await setting.putEnvironment('test');
    await setting.run('test', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect(await setting.deliveries()).toEqual([]);
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.call('PUT', `/environments/${setting.org}/prod/rename`, { json: { new_name: 'live' } });
    await setting.relay.settle();
    expect((await setting.deliveries()).map(({ notice }) => notice.environment)).toEqual(['live']);
  });

  it('are sent only for events after their creation', async () => {
    const setting = await settingOf(api);
    await setting.run('prod', onServer({ api: 'api' }));
    await newNotification(api.services, setting.id, [await setting.environmentId('prod')]);
    await setting.relay.settle();
    expect(await setting.deliveries()).toEqual([]);
  });

  it('are sent for an artifact with many reports', async () => {
    const setting = await waiting(['ON_STARTED_ARTIFACT']);
    for (const flow of ['one', 'two', 'three']) await setting.report(anArtifact('api'), { flow });
    await setting.run('prod', onServer({ api: 'api' }));
    await setting.relay.settle();
    expect((await setting.deliveries()).map(({ notice }) => notice.artifact?.provenance?.['flow'])).toEqual(['web']);
  });
});
