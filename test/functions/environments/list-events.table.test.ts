import { describe, expect, it } from 'vitest';
import { micros, toSeconds } from '#shared/base/time.ts';
import { describeAccess } from '#test/support/access.ts';
import { onServer } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo, fingerprintOf, invalidFields, refusal, shaOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const HOST = 'https://api.example';

interface EventJson {
  type: string;
  snapshot_index: number;
  artifact_name: string;
  reported_at: number;
  [field: string]: unknown;
}

const shown = ({ json }: TestAnswer) =>
  (json as EventJson[]).map(({ snapshot_index: index, type, artifact_name: name }) => `${index} ${type} ${name}`);

describe('GET /environments/{org}/{env_name}/events', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/environments/${org}/prod/events`, needs: 'reader' });

  const setup = async () => {
    const acme = await readingOrganization(api);
    await acme.putEnvironment('prod');
    return acme;
  };

  /** Four snapshots, each of which replaces one artifact by the next. */
  const replaced = async () => {
    const acme = await setup();
    for (const content of ['a', 'b', 'c', 'd']) await acme.run('prod', onServer({ [content]: content }));
    await acme.expand('prod');
    return acme;
  };
  const ALL = ['4 exited c', '4 started d', '3 exited b', '3 started c', '2 exited a', '2 started b', '1 started a'];

  it('shows every documented field', async () => {
    const acme = await setup();
    const url = (name: string) => `https://git.example/acme/web/commit/${shaOf(name)}`;
    for (const name of ['one', 'two']) {
      await acme.report(
        anArtifact('app', {
          fingerprint: fingerprintOf(name),
          git_commit: shaOf(name),
          git_commit_info: aCommit(name),
          commit_url: url(name),
        }),
      );
    }
    await acme.run('prod', onServer({ app: 'one' }));
    await acme.run('prod', onServer({ app: 'two' }));
    await acme.expand('prod');
    const { json } = await acme.events('prod', 'per_page=1&start=2&reverse=true');
    const at = (await acme.snapshots('prod'))[1]?.at ?? 0;
    const artifact = fingerprintOf('two');
    expect(json).toEqual([
      {
        type: 'started',
        environment_name: 'prod',
        snapshot_index: 2,
        artifact_name: 'app',
        sha256: artifact,
        description: '1 instance started running (from 0 to 1)',
        reported_at: toSeconds(micros(at)),
        pipeline: 'web',
        deployments: [],
        flows: [{ flow_name: 'web', deployments: null }],
        artifact_compliance: false,
        artifact_state: null,
        snapshot_compliance: false,
        snapshot_state: null,
        code_diff: `https://git.example/acme/web/compare/${shaOf('one')}...${shaOf('two')}`,
        _links: {
          artifact: {
            self: `${HOST}/api/v2/artifacts/${acme.org}/web/fingerprint/${artifact}`,
            html: `${HOST}/${acme.org}/flows/web/artifacts/${artifact}`,
          },
          snapshot: {
            self: `${HOST}/api/v2/snapshots/${acme.org}/prod/2`,
            html: `${HOST}/${acme.org}/environments/prod/snapshots/2`,
          },
        },
      },
    ]);
  });

  it('shows artifacts without provenance, and what is compliant', async () => {
    const acme = await setup();
    await acme.putPolicy('open', '_schema: https://x.example/v1');
    await acme.attach('prod', 'open');
    await acme.run('prod', onServer({ app: 'unknown' }));
    await acme.expand('prod');
    expect((await acme.events('prod')).json).toMatchObject([
      {
        pipeline: '',
        flows: [],
        code_diff: null,
        _links: { artifact: null },
        artifact_compliance: true,
        artifact_state: true,
        snapshot_compliance: true,
        snapshot_state: true,
      },
    ]);
  });

  it('is newest first or oldest first, by pages with totals in headers', async () => {
    const acme = await replaced();
    expect(shown(await acme.events('prod'))).toEqual(ALL);
    expect(shown(await acme.events('prod', 'reverse=True'))).toEqual(ALL.toReversed());
    const page = await acme.events('prod', 'page=2&per_page=3');
    expect(shown(page)).toEqual(ALL.slice(3, 6));
    expect(page.headers).toMatchObject({
      'x-total-count': '7',
      'x-per-page': '3',
      'x-current-page': '2',
      'x-total-pages': '3',
    });
    const address = `<${HOST}/api/v2/environments/${acme.org}/prod/events?page=3&per_page=3>; rel="next"`;
    expect(page.headers['link']).toContain(address);
    const whole = await acme.events('prod', 'per_page=7');
    expect(whole.headers).toMatchObject({ 'x-total-pages': '1' });
    expect(whole.headers).not.toHaveProperty('link');
    expect(shown(await acme.events('prod', 'page=9'))).toEqual([]);
  });

  it('is empty without events, and leaves out events that are not written yet', async () => {
    const acme = await setup();
    expect(await acme.events('prod')).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': '0' } });
    await acme.run('prod', onServer({ a: 'a' }));
    await acme.expand('prod');
    await acme.run('prod', onServer({ b: 'b' }));
    expect(shown(await acme.events('prod'))).toEqual(['1 started a']);
    expect(shown(await acme.events('prod', 'per_page=2'))).toEqual([]);
    await acme.expand('prod');
    expect(shown(await acme.events('prod', 'per_page=2'))).toEqual(['2 exited a', '2 started b']);
  });

  it('combines bounds by snapshot and by time', async () => {
    const acme = await replaced();
    const times = (await acme.snapshots('prod')).map(({ at }) => toSeconds(at));
    const of = (...indexes: number[]) => ALL.filter((event) => indexes.includes(Number(event[0])));
    const cases: [string, number[]][] = [
      ['interval=2..3', [2, 3]],
      ['interval=NOW', [4]],
      ['interval=&start=&end=', [1, 2, 3, 4]],
      ['start=3', [3, 4]],
      ['start=-3&end=-2', [2, 3]],
      ['start=1hour&end=NOW', [1, 2, 3, 4]],
      ['end=1hour', []],
      [`start_ts=${times[1]}&end_ts=${times[2]}`, [2, 3]],
      [`from=${times[2]}`, [3, 4]],
      [`to=${times[0]}`, [1]],
      [`start=2&end_ts=${times[2]}&interval=1..2`, [2]],
      ['start=4&end=2', []],
    ];
    for (const [query, indexes] of cases)
      expect([query, shown(await acme.events('prod', query))]).toEqual([query, of(...indexes)]);
  });

  it('can be filtered by repositories', async () => {
    const acme = await setup();
    const repos = { web: aRepo(), lib: aRepo({ id: '2', name: 'acme/lib' }), none: undefined };
    for (const [name, repo] of Object.entries(repos)) {
      await acme.report(anArtifact(name, { repo_info: repo }), { flow: name });
    }
    // One artifact of both repositories.
    await acme.report(anArtifact('web', { repo_info: repos.lib }), { flow: 'second' });
    await acme.run('prod', onServer({ web: 'web', lib: 'lib', none: 'none' }));
    await acme.run('prod', onServer({ lib: 'lib' }));
    await acme.expand('prod');
    // Repositories are found by name in one read.
    const ask = (query: string) => acme.events('prod', query);
    const [web, lib] = ['acme/web', 'acme/lib'].map((name) => `repo_name=${encodeURIComponent(name)}`);
    expect(shown(await ask(`${web}`))).toEqual(['2 exited web', '1 started web']);
    expect(shown(await ask(`${lib}`)).toSorted()).toEqual(['1 started lib', '1 started web', '2 exited web']);
    const both = await ask(`${web}&${lib}&reverse=true`);
    expect(shown(both)).toHaveLength(3);
    expect(both.headers).toMatchObject({ 'x-total-count': '3' });
    const [first, second] = [await ask(`${web}&${lib}&per_page=2`), await ask(`${web}&${lib}&per_page=2&page=2`)];
    expect([...shown(first), ...shown(second)]).toEqual(shown(both).toReversed());
    // The events after the page were not counted, but it is known that there are some.
    expect(first.headers).not.toHaveProperty('x-total-count');
    expect(first.headers['link']).toMatch(/^<[^>]*page=1[^>]*>; rel="first", <[^>]*page=2[^>]*>; rel="next"$/);
    expect(second.headers).toMatchObject({ 'x-total-count': '3', link: expect.stringContaining('rel="prev"') });
    expect((await ask(`${web}&${lib}&per_page=3`)).headers).not.toHaveProperty('link');
    expect(shown(await ask(`${web}&interval=2..2`))).toEqual(['2 exited web']);
    expect(refusal(await ask(`${web}&repo_name=acme/none`))).toEqual([404, { message: "Repo 'acme/none' not found" }]);
  });

  it('reads any page with the same number of calls, in at most five round trips', async () => {
    const acme = await replaced();
    const cost = async (query: string) => {
      await acme.events('prod', query);
      const { aws_calls: calls, aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
      return { calls, trips };
    };
    expect(await cost('per_page=1&page=7')).toEqual(await cost('per_page=1'));
    const times = (await acme.snapshots('prod')).map(({ at }) => toSeconds(at));
    for (const query of ['', 'interval=2..3', `start_ts=${times[1]}&end_ts=${times[2]}`]) {
      expect((await cost(query)).trips).toBeLessThanOrEqual(5);
    }
  });

  it('refuses malformed parameters before it looks for the environment', async () => {
    const acme = await setup();
    const ask = async (query: string) => refusal(await acme.events('nowhere', query));
    const form = "Input should be a snapshot index, a Unix timestamp, a span such as '2days', or NOW";
    expect(await ask('start=soon')).toEqual(invalidFields({ 'query.start': `${form} [input: soon]` }));
    expect(await ask('end=0')).toEqual(invalidFields({ 'query.end': `${form} [input: 0]` }));
    const interval = "Input should be one snapshot expression or two joined by '..'";
    expect(await ask('interval=x')).toEqual(invalidFields({ 'query.interval': `${interval} [input: x]` }));
    expect(await ask('start=soon&end=0&interval=x&page=0')).toEqual(
      invalidFields({
        'query.start': `${form} [input: soon]`,
        'query.end': `${form} [input: 0]`,
        'query.interval': `${interval} [input: x]`,
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
      }),
    );
    const number = 'Input should be a valid number, unable to parse string as a number [input: x]';
    expect(await ask('start_ts=x&end_ts=x&from=x&to=x')).toEqual(
      invalidFields({ 'query.start_ts': number, 'query.end_ts': number, 'query.from': number, 'query.to': number }),
    );
    expect(await ask('per_page=101')).toEqual(
      invalidFields({ 'query.per_page': 'Input should be less than or equal to 100 [input: 101]' }),
    );
    const many = Array.from({ length: 21 }, () => 'repo_name=r').join('&');
    expect((await acme.events('nowhere', many)).status).toBe(400);
    expect(await ask('repo_name=r&page=101&per_page=100')).toEqual(
      invalidFields({ 'query.page': expect.stringMatching(/^Events of repositories are shown up to the 10000th/) }),
    );
    expect(await ask('')).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
    ]);
  });

  it("shows the events of a logical environment's members as its own", async () => {
    const acme = await setup();
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    await acme.run('prod', onServer({ a: 'a' }));
    await acme.run('prod', onServer({ b: 'b' }));
    await acme.expand('prod');
    await acme.expand('all');
    const answer = await acme.events('all');
    expect(shown(answer)).toEqual(['2 exited a', '2 started b', '1 started a']);
    expect(answer.json).toMatchObject([{ environment_name: 'all' }, {}, {}]);
  });
});
