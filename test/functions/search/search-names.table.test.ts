import { describe, expect, it } from 'vitest';
import { trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsApi, onServer } from '#test/support/environments.ts';
import { anArtifact, aRepo, fingerprintOf, invalidFields, refusal, shaOf } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { countingTable } from '#test/support/table/units.ts';
import { type Setting, settingOf } from '../../shared/environments/relayed-environments.ts';

const api = await environmentsApi();
const sound = api.services.table;

interface Found {
  resolved_to: { type: string; full_match: string };
  [kind: string]: unknown;
}

async function search({ get, org }: Setting, text: string): Promise<Found> {
  const { status, json, text: body } = await get(`/search/${org}`, `q=${encodeURIComponent(text)}`);
  if (status !== 200) throw new Error(body);
  return json as Found;
}

const NOTHING = { items: [], more: false };
const one = (fields: unknown) => ({ items: [fields], more: false });

/** One record of each kind whose name begins with `sea`, and one artifact. */
async function setup(): Promise<Setting> {
  const setting = await settingOf(api, []);
  const { org, call } = setting;
  await setting.report(
    anArtifact('seal', { filename: 'registry.example/seal:1', repo_info: aRepo({ name: 'acme/sea' }) }),
    {
      flow: 'seaside',
      trail: 'seasons',
    },
  );
  await setting.putEnvironment('seabed');
  await setting.putPolicy('search');
  await call('POST', `/controls/${org}`, { json: { identifier: 'SEA-1', name: 'reviewed' } });
  return setting;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await settingOf(api, []);

describe('GET /search/{org}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/search/${org}`,
    request: { query: 'q=web' },
    needs: 'reader',
  });

  it('finds records of every kind by the beginning of their names', async () => {
    const setting = await setup();
    const at = (path: string) => expect.stringContaining(`/${setting.org}${path}`);
    expect(await search(setting, 'Sea')).toEqual({
      resolved_to: { type: 'name', full_match: 'Sea' },
      flows: one({ name: 'seaside', html_url: at('/flows/seaside') }),
      environments: one({ name: 'seabed', type: 'server', html_url: at('/environments/seabed') }),
      trails: one({ name: 'seasons', flow_name: 'seaside', html_url: at('/flows/seaside/trails/seasons') }),
      artifacts: one({
        name: 'registry.example/seal:1',
        fingerprint: fingerprintOf('seal'),
        flow_name: 'seaside',
        html_url: at(`/flows/seaside/artifacts/${fingerprintOf('seal')}?artifact_id=`),
      }),
      commits: NOTHING,
      commit_reports: NOTHING,
      controls: one({ identifier: 'SEA-1', name: 'reviewed', archived: false, html_url: at('/controls/SEA-1') }),
      policies: one({ name: 'search', html_url: at('/policies/search') }),
      repos: one({ id: expect.any(String), name: 'acme/sea', html_url: at('/repos/acme/sea') }),
    });
    // A registry in front of the name of an image does not count.
    expect(await search(setting, 'seal:1')).toMatchObject({ artifacts: one({ name: 'registry.example/seal:1' }) });
    expect((await search(setting, 'seabed')).resolved_to).toEqual({ type: 'name', full_match: 'seabed' });
    expect((await search(setting, 'none')).resolved_to).toEqual({ type: 'nothing', full_match: 'none' });
  });

  it('finds artifacts and commits by a digest, also what runs without a report', async () => {
    const setting = await setup();
    const fingerprint = fingerprintOf('seal');
    const reported = await search(setting, fingerprint.slice(0, 8).toUpperCase());
    expect(reported).toMatchObject({
      resolved_to: { type: 'fingerprint', full_match: fingerprint },
      artifacts: one({ fingerprint, flow_name: 'seaside' }),
    });
    const commit = shaOf('c');
    expect(await search(setting, commit)).toMatchObject({
      resolved_to: { type: 'commit', full_match: commit },
      commits: one(commit),
      commit_reports: one({
        git_commit: commit,
        name: 'registry.example/seal:1',
        fingerprint,
        flow_name: 'seaside',
        trail_name: 'seasons',
        html_url: expect.stringContaining(`/flows/seaside/artifacts/${fingerprint}?artifact_id=`),
        trail_html_url: expect.stringContaining('/flows/seaside/trails/seasons'),
      }),
    });
    await setting.run('prod', onServer({ stray: 'stray' }));
    await setting.relay.settle();
    expect(await search(setting, fingerprintOf('stray').slice(0, 5))).toMatchObject({
      resolved_to: { type: 'fingerprint' },
      artifacts: one({ name: 'stray', fingerprint: fingerprintOf('stray'), flow_name: null, html_url: null }),
    });
  });

  it('finds a trail that is not among the newest by its exact name', async () => {
    const setting = await setup();
    const pk = trailPartition(setting.id, await setting.flowId('seaside'), testName('ancient'));
    await sound.put({ ...trailHeadKey(pk), v: 1 });
    expect((await search(setting, 'ancient'))['trails']).toMatchObject(one({ name: 'ancient', flow_name: 'seaside' }));
    expect((await search(setting, 'ancien'))['trails']).toEqual(NOTHING);
  });

  it('leaves out archived flows and environments, with the trails of these flows', async () => {
    const setting = await setup();
    const { org, call } = setting;
    expect((await call('PUT', `/flows/${org}/seaside/archive`, { text: 'null' })).status).toBe(200);
    expect((await call('PUT', `/environments/${org}/seabed/archive`, { text: 'null' })).status).toBe(200);
    expect(await search(setting, 'sea')).toMatchObject({ flows: NOTHING, environments: NOTHING, trails: NOTHING });
    expect(await search(setting, shaOf('c'))).toMatchObject({ commit_reports: NOTHING });
  });

  it('takes at most five calls after one another', async () => {
    const setting = await setup();
    await search(setting, 'sea');
    const { table } = countingTable(sound);
    api.services.table = table;
    try {
      await search(setting, fingerprintOf('seal').slice(0, 8));
    } finally {
      api.services.table = sound;
    }
    const entry = api.entries.findLast((line) => 'aws_calls' in line) as unknown as { aws_sequential: number };
    expect(entry.aws_sequential).toBeLessThanOrEqual(5);
  });

  it.each(['', 'q=', 'q=%20', `q=${'x'.repeat(256)}`])('refuses the query "%s"', async (query) => {
    const answer = await refusing.get(`/search/${refusing.org}`, query);
    expect(refusal(answer)).toEqual(invalidFields({ 'query.q': expect.any(String) }));
  });
});
