import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo, invalidFields, refusal, shaOf } from '#test/support/evidence.ts';
import { requestCosts } from '#test/support/table/request-costs.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const { clock } = api.services;
const DAY = 86_400_000_000;

interface TimesJson {
  known: number;
  median: number | null;
}
interface FrequencyJson {
  start_ts: number;
  end_ts: number;
  trails: { total: number; days: unknown[]; times: TimesJson };
  environments: { environment_name: string; total: number; days: { count: number }[]; lead_times: TimesJson }[];
  more_environments: boolean;
  lead_times: TimesJson;
}

const frequencyOf = async (org: string, get: (path: string, query?: string) => Promise<unknown>, query = '') =>
  ((await get(`/organizations/${org}/frequency`, query)) as { json: FrequencyJson }).json;

describe('GET /organizations/{org}/frequency', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/organizations/${org}/frequency`, needs: 'reader' });

  it('counts trails and deployments of all flows and environments by day, with lead times', async () => {
    const acme = await readingOrganization(api);
    for (const env of ['prod', 'staging', 'quiet']) await acme.putEnvironment(env);
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod', 'staging'] });
    const git_commit_info = { ...aCommit('one'), timestamp: Math.floor(clock.now() / 1e6) - 3600 };
    const report = { template_reference_name: 'app', git_commit: shaOf('one'), git_commit_info };
    await acme.report(anArtifact('one', { ...report, repo_info: aRepo({ id: 'one', name: 'acme/one' }) }));
    await acme.run('staging', onServer({ app: 'one' }));
    clock.advance(DAY);
    await acme.run('prod', onServer({ app: 'one', stray: 'stray' }));
    for (const env of ['prod', 'staging']) await acme.expand(env);
    const found = await frequencyOf(acme.org, acme.get);
    expect(found.environments).toMatchObject([
      { environment_name: 'prod', total: 2, median_per_day: 0, lead_times: { known: 1 } },
      { environment_name: 'staging', html_url: `https://api.example/${acme.org}/environments/staging`, total: 1 },
    ]);
    expect(found.environments.map(({ days }) => days.slice(-2).map(({ count }) => count))).toEqual([
      [0, 2],
      [1, 0],
    ]);
    expect(found.lead_times).toMatchObject({ known: 2, median: expect.closeTo(3600, -2) });
    expect(found.trails).toMatchObject({ total: 1, times: { known: expect.any(Number), classes: expect.any(Array) } });
    expect([found.trails.days.length, found.more_environments]).toEqual([28, false]);
    const today = await frequencyOf(acme.org, acme.get, `start_ts=${clock.now() / 1e6}`);
    expect(today.environments.map(({ total, lead_times: { known } }) => [total, known])).toEqual([
      [2, 1],
      [0, 0],
    ]);
  });

  it('takes one call for each environment with deployments, beside eight', async () => {
    const acme = await readingOrganization(api);
    const names = ['a', 'b', 'c'];
    for (const env of [...names, 'quiet']) await acme.putEnvironment(env);
    for (const env of names) {
      await acme.run(env, onServer({ app: env }));
      await acme.expand(env);
    }
    const { status, calls, trips } = await requestCosts(api)(acme, `/organizations/${acme.org}/frequency`);
    expect([status, calls <= 8 + names.length, trips <= 5]).toEqual([200, true, true]);
  });

  it('answers empty lists for an organization without trails and reports', async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    const found = await frequencyOf(acme.org, acme.get);
    expect(found).toMatchObject({ environments: [], more_environments: false, lead_times: { known: 0, median: null } });
  });

  it('shows the 20 environments that changed last', async () => {
    const acme = await readingOrganization(api);
    const names = Array.from({ length: 21 }, (_, n) => `env-${n}`);
    for (const env of names) {
      await acme.putEnvironment(env);
      clock.advance(1_000_000);
      await acme.run(env, onServer({ app: env }));
    }
    const found = await frequencyOf(acme.org, acme.get);
    expect(found.environments.map(({ environment_name: name }) => name).sort()).toEqual(names.slice(1).sort());
    expect(found.more_environments).toBe(true);
  });

  it.each([
    ['start_ts=0', { 'query.start_ts': 'Input should be at most 366 days before end_ts [input: 0]' }],
    ['start_ts=x', { 'query.start_ts': expect.stringContaining('number') }],
    ['end_ts=5', { 'query.end_ts': expect.any(String) }],
  ])('%s is refused', async (query, fields) => {
    const acme = await readingOrganization(api);
    expect(refusal(await acme.get(`/organizations/${acme.org}/frequency`, query))).toEqual(
      invalidFields(fields as Record<string, string>),
    );
  });
});
