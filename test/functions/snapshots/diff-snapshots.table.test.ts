import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, invalidFields, refusal, shaOf } from '#test/support/evidence.ts';
import { readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const STARTED = 1_776_300_000;

interface Block {
  snapshot_id?: string;
  artifacts: { name: string }[];
}

describe('GET /env-diff/{org}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/env-diff/${org}`,
    request: { query: 'snappish1=prod&snappish2=prod' },
    needs: 'reader',
  });

  const setup = async () => {
    const acme = await readingOrganization(api);
    for (const env of ['prod', 'staging']) await acme.putEnvironment(env);
    const blocks = async (one: string, other: string) => {
      const { status, json } = await acme.diff(one, other);
      expect(status).toBe(200);
      return json as Record<string, Block>;
    };
    return { acme, blocks };
  };

  it('shows every documented field', async () => {
    const { acme } = await setup();
    await acme.report(anArtifact('app'));
    const twice = onServer({ both: 'both' }).artifacts.concat(onServer({ both: 'both' }, STARTED).artifacts);
    await acme.run('prod', { artifacts: [...onServer({ app: 'app', same: 'same' }, STARTED).artifacts, ...twice] });
    await acme.run('staging', onServer({ both: 'both', same: 'same', new: 'new' }, STARTED));
    const unknown = { flow: null, commit_url: null, most_recent_timestamp: STARTED };
    expect((await acme.diff('prod', 'staging')).json).toEqual({
      snappish1: {
        snapshot_id: 'prod#1',
        artifacts: [
          {
            name: 'app',
            fingerprint: fingerprintOf('app'),
            flow: 'web',
            most_recent_timestamp: STARTED,
            commit_url: `https://git.example/acme/web/commit/${shaOf('c')}`,
            instance_count: 1,
          },
        ],
      },
      snappish2: {
        snapshot_id: 'staging#1',
        artifacts: [{ name: 'new', fingerprint: fingerprintOf('new'), ...unknown, instance_count: 1 }],
      },
      changed: {
        artifacts: [
          { name: 'both', fingerprint: fingerprintOf('both'), ...unknown, s1_instance_count: 2, s2_instance_count: 1 },
        ],
      },
      'not-changed': {
        artifacts: [{ name: 'same', fingerprint: fingerprintOf('same'), ...unknown, instance_count: 1 }],
      },
    });
  });

  it('compares snapshots of one environment, without exited artifacts', async () => {
    const { acme, blocks } = await setup();
    await acme.run('prod', onServer({ old: 'old' }));
    await acme.run('prod', onServer({ new: 'new' }));
    const names = ({ artifacts }: Block = { artifacts: [] }) => artifacts.map(({ name }) => name);
    for (const [one, other] of [
      ['prod#1', 'prod#2'],
      ['prod~1', 'prod'],
      ['prod~', 'prod@{now}'],
    ] as const) {
      const diff = await blocks(one, other);
      expect([names(diff['snappish1']), names(diff['snappish2'])]).toEqual([['old'], ['new']]);
      expect(diff['snappish1']?.snapshot_id).toBe('prod#1');
    }
    const same = await blocks('prod', 'prod');
    expect([names(same['snappish1']), names(same['not-changed'])]).toEqual([[], ['new']]);
  });

  it('refuses malformed expressions, and answers 404 for unknown environments and snapshots', async () => {
    const { acme } = await setup();
    const ask = async (one: string, other: string) => refusal(await acme.diff(one, other));
    await acme.run('prod', onServer({ app: 'a' }));
    expect(await ask('prod', 'staging')).toEqual([
      404,
      {
        message: `Org: '${acme.org}'. Snapshot 'staging' resolves to 'staging#0'. len(snapshots) == 0. Indexes are 1-based`,
      },
    ]);
    expect(await ask('prod#7', 'prod')).toEqual([
      404,
      {
        message: `Org: '${acme.org}'. Snapshot 'prod#7' resolves to 'prod#7'. len(snapshots) == 1. Indexes are 1-based`,
      },
    ]);
    expect(await ask('nowhere', 'prod')).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
    ]);
    expect(await ask('prod', 'prod#1~1')).toEqual([
      400,
      { message: "invalid expression: prod#1~1. Only one of '@', '~' or '#' can be present" },
    ]);
    for (const text of ['', '#1', 'prod#x', 'prod@1']) expect((await acme.diff('prod', text)).status).toBe(400);
    expect(refusal(await acme.get(`/env-diff/${acme.org}`, 'snappish1=prod'))).toEqual(
      invalidFields({ 'query.snappish2': 'Field required [input: None]' }),
    );
  });
});
