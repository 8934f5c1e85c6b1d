import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, ID, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { type ReadingOrganization, readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const STARTED = 1_776_300_000;

interface Rows {
  artifacts: Record<string, unknown>[];
  total_count: number;
}

async function rowsOf({ get, org }: ReadingOrganization, query = '', snappish = '-1'): Promise<Rows> {
  const { status, json, text } = await get(`/snapshots/${org}/prod/${snappish}/artifacts`, query);
  if (status !== 200) throw new Error(text);
  return json as Rows;
}
const names = ({ artifacts }: Rows) => artifacts.map(({ name }) => name);

/** `app` has provenance, `rogue` has none, and `old` exited with the second snapshot. */
async function setup(): Promise<ReadingOrganization> {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod');
  await acme.putPolicy('known', policyText('provenance: {required: true}'));
  await acme.attach('prod', 'known');
  await acme.report(anArtifact('app'));
  await acme.run('prod', onServer({ app: 'app', old: 'old' }, STARTED));
  await acme.run('prod', onServer({ app: 'app', rogue: 'rogue' }, STARTED));
  return acme;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await readingOrganization(api);

describe('GET /snapshots/{org}/{env_name}/{snappish}/artifacts', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/snapshots/${org}/prod/-1/artifacts`, needs: 'reader' });

  it('shows all rows in short, in the order of the snapshot', async () => {
    const acme = await setup();
    const body = await rowsOf(acme);
    expect(body).toMatchObject({
      environment: 'prod',
      index: 2,
      is_latest: true,
      state: false,
      artifact_compliance_count: { true: 1, false: 1, null: 0 },
      policies: [{ name: 'known', version: 1 }],
      total_count: 3,
    });
    expect(names(body)).toEqual((await acme.snapshot('prod')).artifacts.map(({ name }) => name));
    const byName = new Map(body.artifacts.map((row) => [row['name'], row]));
    expect(byName.get('app')).toEqual({
      fingerprint: fingerprintOf('app'),
      name: 'app',
      state: true,
      allowed: false,
      change: 'unchanged',
      instances: 1,
      started_at: STARTED,
      flow_name: 'web',
      trail_name: 'run',
      artifact_id: expect.stringMatching(ID),
      reasons: [],
      reasons_total: 0,
    });
    expect(byName.get('rogue')).toMatchObject({
      state: false,
      change: 'started-non-compliant',
      flow_name: null,
      artifact_id: null,
      reasons: [expect.any(String)],
      reasons_total: 1,
    });
    expect(byName.get('old')).toMatchObject({ change: 'exited', instances: 0 });
  });

  it('filters by verdict, name and fingerprint, and cuts pages', async () => {
    const acme = await setup();
    for (const [query, expected] of [
      ['state=compliant', ['app']],
      ['state=non-compliant', ['rogue']],
      ['state=unknown', []],
      ['search=OG', ['rogue']],
      [`search=${fingerprintOf('old').slice(0, 8)}`, ['old']],
    ] as const) {
      expect([query, names(await rowsOf(acme, query))]).toEqual([query, expected]);
    }
    const all = names(await rowsOf(acme));
    const second = await rowsOf(acme, 'page=2&per_page=2');
    expect([names(second), second.total_count]).toEqual([all.slice(2), 3]);
    expect(names(await rowsOf(acme, '', '1')).toSorted()).toEqual(['app', 'old']);
  });

  it.each([
    ['page', '0'],
    ['per_page', '0'],
    ['per_page', '1001'],
    ['state', 'red'],
  ])('refuses %s=%s', async (name, value) => {
    const answer = await refusing.get(`/snapshots/${refusing.org}/prod/-1/artifacts`, `${name}=${value}`);
    expect(refusal(answer)).toEqual(invalidFields({ [`query.${name}`]: expect.any(String) }));
  });

  it('answers 404 for an unknown environment and a snapshot that does not exist', async () => {
    const acme = await setup();
    const at = (place: string) => acme.get(`/snapshots/${acme.org}/${place}/artifacts`);
    expect([(await at('none/-1')).status, (await at('prod/3')).status]).toEqual([404, 404]);
  });
});
