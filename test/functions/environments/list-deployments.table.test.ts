import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo, fingerprintOf, invalidFields, refusal, shaOf } from '#test/support/evidence.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const { clock } = api.services;
const DAY = 86_400_000_000;
type Own = Awaited<ReturnType<typeof readingOrganization>>;

interface Page {
  deployments: Record<string, unknown>[];
  total_count: number;
  days: { date: string; count: number }[];
  lead_times: Record<string, number | null>;
  [field: string]: unknown;
}

async function deployments({ get, org }: Own, query = ''): Promise<Page> {
  const { status, json, text } = await get(`/environments/${org}/prod/deployments`, query);
  if (status !== 200) throw new Error(text);
  return json as Page;
}
const names = (page: Page) => page.deployments.map(({ name }) => name);

/** `one` is replaced by `two` a day later; `stray` has no provenance. `two` comes from another repository. */
async function setup(): Promise<Own> {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod');
  const committed = Math.floor(clock.now() / 1e6) - 3600;
  for (const name of ['one', 'two']) {
    const git_commit_info = { ...aCommit(name), timestamp: committed };
    const repo_info = aRepo({ id: name, name: `acme/${name}` });
    const slot = { template_reference_name: 'app', git_commit: shaOf(name), git_commit_info, repo_info };
    await acme.report(anArtifact(name, slot));
  }
  await acme.run('prod', onServer({ app: 'one', stray: 'stray' }));
  clock.advance(DAY);
  await acme.run('prod', onServer({ app: 'two', stray: 'stray' }));
  await acme.expand('prod');
  return acme;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await readingOrganization(api);
await refusing.putEnvironment('prod');

describe('GET /environments/{org}/{env_name}/deployments', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/environments/${org}/prod/deployments`, needs: 'reader' });

  it('lists what started, newest first, with lead times and the number per day', async () => {
    const acme = await setup();
    const page = await deployments(acme);
    const [, second] = await acme.snapshots('prod');
    expect(page).toMatchObject({ environment: 'prod', total_count: 3, lead_times: { known: 2 } });
    const { lead_times: byClass } = await deployments(acme, 'include=classes');
    expect(byClass).toMatchObject({ ...page.lead_times, classes: expect.any(Array) });
    expect(page.lead_times).not.toHaveProperty('classes');
    expect(page.days).toHaveLength(28);
    expect(page.days.slice(-2).map(({ count }) => count)).toEqual([2, 1]);
    expect(page.deployments[0]).toEqual({
      at: (second?.at ?? 0) / 1e6,
      snapshot_index: 2,
      fingerprint: fingerprintOf('two'),
      name: 'app',
      state: null,
      flow_name: 'web',
      trail_name: 'run',
      git_commit: shaOf('two'),
      lead_time: expect.closeTo(3600 + 86_400, -1),
      replaced_commit: shaOf('one'),
      code_diff: expect.stringContaining(shaOf('two')),
      html_url: expect.stringContaining(`/flows/web/artifacts/${fingerprintOf('two')}?artifact_id=`),
    });
    expect(page.deployments.find(({ name }) => name === 'stray')).toMatchObject({
      flow_name: null,
      trail_name: null,
      git_commit: null,
      lead_time: null,
      html_url: null,
    });
    expect(page.lead_times['median']).toBeCloseTo(3600, -1);
  });

  it('gives an artifact its last start in each environment, and what it replaced', async () => {
    const acme = await setup();
    const startsOf = async (name: string) => {
      const path = `/artifacts/${acme.org}/web/fingerprint/${fingerprintOf(name)}`;
      return ((await acme.get(path, 'include=starts')).json as { starts: unknown }).starts;
    };
    const [first, second] = await acme.snapshots('prod');
    expect(await startsOf('two')).toEqual([
      {
        environment_name: 'prod',
        snapshot_index: 2,
        at: (second?.at ?? 0) / 1e6,
        lead_time: expect.closeTo(3600 + 86_400, -1),
        replaced: {
          fingerprint: fingerprintOf('one'),
          name: 'registry.example/one:1.0',
          flow_name: 'web',
          trail_name: 'run',
          git_commit: shaOf('one'),
          html_url: expect.stringContaining(`/flows/web/artifacts/${fingerprintOf('one')}?artifact_id=`),
        },
        code_diff: expect.stringContaining(`${shaOf('one')}...${shaOf('two')}`),
      },
    ]);
    // It has stopped since.
    expect(await startsOf('one')).toMatchObject([
      { snapshot_index: 1, at: (first?.at ?? 0) / 1e6, replaced: null, code_diff: null },
    ]);
    const { status, json } = await acme.get(
      `/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('two')}`,
      'include=all',
    );
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, ['query.include[0]']]);
  });

  it('shows one repository, one flow, some days or one page', async () => {
    const acme = await setup();
    const [first] = await acme.snapshots('prod');
    expect((await deployments(acme, 'repo_name=acme/one')).deployments).toMatchObject([{ git_commit: shaOf('one') }]);
    expect((await deployments(acme, 'flow_name=web')).total_count).toBe(2);
    expect((await deployments(acme, 'flow_name=none')).total_count).toBe(0);
    const day = await deployments(acme, `start_ts=${(first?.at ?? 0) / 1e6}&end_ts=${(first?.at ?? 0) / 1e6}`);
    expect([day.days.length, names(day).toSorted()]).toEqual([1, ['app', 'stray']]);
    expect(names(await deployments(acme, 'per_page=1'))).toEqual(['app']);
  });

  it('answers 404 for an unknown environment or repository, and 400 for a logical environment', async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    const at = (name: string, query = '') => acme.get(`/environments/${acme.org}/${name}/deployments`, query);
    expect((await at('none')).status).toBe(404);
    expect(refusal(await at('prod', 'repo_name=none'))).toEqual([404, { message: "Repo 'none' not found" }]);
    expect((await at('all')).status).toBe(400);
  });

  it.each([
    ['start_ts', 'x'],
    ['start_ts', '9999999999'],
    ['start_ts', '0'],
    ['end_ts', '-1'],
    ['page', '0'],
    ['per_page', '101'],
  ])('refuses %s=%s', async (name, value) => {
    const answer = await refusing.get(`/environments/${refusing.org}/prod/deployments`, `${name}=${value}`);
    expect(refusal(answer)).toEqual(invalidFields({ [`query.${name}`]: expect.any(String) }));
  });
});
