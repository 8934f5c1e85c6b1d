import { describe, expect, it } from 'vitest';
import { artifactKey } from '#shared/evidence/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { aCommit, aRepo, fingerprintOf, invalidFields, isTime, refusal, shaOf } from '#test/support/evidence.ts';
import { type Build, builder, buildsApi } from './builds-api.ts';

const api = await buildsApi();
const refusing = await builder(api);

describe('GET /builds/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/builds/${org}`, needs: 'reader' });

  it('shows the first report of a fingerprint', async () => {
    const acme = await builder(api);
    await acme.build('cli', { repo_info: aRepo() });
    const { json } = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`);
    const [repo] = await acme.idOf('acme/web');
    const { builds, ...rest } = await acme.page();
    expect(builds).toEqual([
      {
        created_at: (json as Build).created_at,
        fingerprint: fingerprintOf('cli'),
        flow_name: 'web',
        trail_name: 'run',
        filename: 'registry.example/cli:1.0',
        build_url: 'https://ci.example/builds/1',
        git_commit: shaOf('c'),
        repo_info: { name: 'acme/web', repo_id: '4711', provider: 'gitlab' },
        git_commit_info: aCommit('c'),
        _links: {
          artifact: {
            href: `https://api.example/api/v2/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`,
          },
          trail: { href: `https://api.example/api/v2/trails/${acme.org}/web/run` },
        },
      },
    ]);
    expect(builds[0]?.created_at).toSatisfy(isTime);
    expect(rest).toMatchObject({ page: 1, per_page: 20, total_pages: 1, total_count: 1, has_builds_ever: true });
    expect(repo).toMatch(/-/);
  });

  it('shows empty texts, and never null, for facts that were not reported', async () => {
    const acme = await builder(api);
    await acme.build('cli', { git_commit_info: undefined });
    expect((await acme.page()).builds).toMatchObject([
      {
        repo_info: { name: '', repo_id: '', provider: '' },
        git_commit: shaOf('c'),
        git_commit_info: { sha1: shaOf('c'), message: '', author: '', branch: '', url: '', timestamp: 0 },
      },
    ]);
    await acme.build('lib', {
      git_commit_info: { ...aCommit(), url: undefined, branch: undefined },
      repo_info: aRepo({ provider: undefined }),
    });
    expect((await acme.page()).builds[0]).toMatchObject({
      git_commit_info: { url: '', branch: '' },
      repo_info: { name: 'acme/web', provider: '' },
    });
  });

  it('counts a fingerprint once, even if it is reported again in other flows and trails', async () => {
    const acme = await builder(api);
    await acme.build('cli', { filename: 'first' });
    await acme.build('cli', { filename: 'second', repo_info: aRepo() });
    await acme.build('cli', { filename: 'third' }, 'other');
    expect((await acme.page()).builds).toMatchObject([
      { filename: 'first', flow_name: 'web', repo_info: { name: '' } },
    ]);
  });

  it('shows the present names of flows and repositories, also of archived flows', async () => {
    const acme = await builder(api);
    await acme.build('cli', { repo_info: aRepo() });
    await acme.build('cli', { repo_info: aRepo({ name: 'acme/site' }) });
    await acme.call('PUT', `/flows/${acme.org}/web/archive`, { text: 'null' });
    const [build] = (await acme.page()).builds;
    expect(build).toMatchObject({
      flow_name: expect.stringMatching(/^web-archived-at-\d+$/),
      repo_info: { name: 'acme/site' },
    });
  });

  it('lists the newest builds first, in pages with links', async () => {
    const acme = await builder(api);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await acme.build(name);
    expect(await acme.names()).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await acme.names('per_page=2&page=2')).toEqual(['c', 'b']);
    const { _links, ...page } = await acme.page('per_page=2&page=2&end_ts=4000000000&start_ts=0');
    expect(page).toMatchObject({ page: 2, per_page: 2, total_pages: 3, total_count: 5 });
    expect(_links['next']).toEqual({
      href: `https://api.example/api/v2/builds/${acme.org}?per_page=2&page=3&end_ts=4000000000&start_ts=0`,
    });
    expect(await acme.page('page=9')).toMatchObject({ builds: [], page: 9, total_count: 5 });
  });

  it('only counts with per_page=0, and accepts up to 50 per page', async () => {
    const acme = await builder(api);
    for (const name of ['a', 'b']) await acme.build(name);
    const { _links, ...page } = await acme.page('per_page=0');
    expect(page).toEqual({
      builds: [],
      page: 1,
      per_page: 0,
      total_pages: 0,
      total_count: 2,
      has_builds_ever: true,
    });
    expect(await acme.page('per_page=50')).toMatchObject({ per_page: 50, total_pages: 1 });
  });

  it('says whether there was ever a build, inside or outside the window', async () => {
    const acme = await builder(api);
    expect(await acme.page()).toMatchObject({ builds: [], total_count: 0, total_pages: 0, has_builds_ever: false });
    await acme.build('cli', { repo_info: aRepo() });
    const outside = 'end_ts=1000000000';
    expect(await acme.page(outside)).toMatchObject({ builds: [], total_count: 0, has_builds_ever: true });
    expect(await acme.page(`${outside}&repo_id=4711`)).toMatchObject({ total_count: 0, has_builds_ever: true });
    for (const query of ['repo_id=1', 'repo_name=nope', 'repo_inner_id=nope']) {
      expect(await acme.page(query)).toMatchObject({ total_count: 0, has_builds_ever: false });
    }
  });

  it('does not show builds of another organization', async () => {
    const [acme, other] = [await builder(api), await builder(api)];
    await other.build('cli', { repo_info: aRepo() });
    const [id] = await other.idOf('acme/web');
    for (const query of ['', 'repo_id=4711', 'repo_name=acme/web', `repo_inner_id=${id}`]) {
      expect(await acme.page(query)).toMatchObject({ builds: [], has_builds_ever: false });
    }
  });

  it('shows a placeholder for a report that cannot be read', async () => {
    const acme = await builder(api);
    await acme.build('a');
    await acme.build('b');
    const [entry] = (await acme.stored()).filter(
      (item) => item.includes('#ARTIFACT#') && item.includes(fingerprintOf('a')),
    );
    const { id } = JSON.parse(entry ?? '{}');
    const item = await api.services.table.get(artifactKey(acme.id, id));
    if (!item) throw new Error('The report is elsewhere');
    await api.services.table.put({ ...item, facts: { ...(item['facts'] as object), enc: 'none' } });
    expect((await acme.page()).builds).toMatchObject([
      { fingerprint: fingerprintOf('b'), filename: 'registry.example/b:1.0' },
      { fingerprint: fingerprintOf('a'), filename: '', git_commit_info: { message: '' }, unreadable: true },
    ]);
  });
});

describe('a refused list of builds', () => {
  const large = 'Input should be less than or equal to 50 [input: 51]';
  it.each([
    ['page=0', { 'query.page': 'Input should be greater than or equal to 1 [input: 0]' }],
    ['page=x', { 'query.page': 'Input should be a valid integer, unable to parse string as an integer [input: x]' }],
    ['per_page=-1', { 'query.per_page': 'Input should be greater than or equal to 0 [input: -1]' }],
    ['per_page=51', { 'query.per_page': large }],
    [
      'start_ts=yesterday',
      { 'query.start_ts': 'Input should be a valid number, unable to parse string as a number [input: yesterday]' },
    ],
    [
      'end_ts=NaN',
      { 'query.end_ts': 'Input should be a valid number, unable to parse string as a number [input: NaN]' },
    ],
    ['repo=x', { 'query.repo': "Unknown parameter 'repo'. The nearest known parameter is 'repo_id'" }],
  ])('names the wrong field of %s', async (query, errors) => {
    expect(refusal(await refusing.get(`/builds/${refusing.org}`, query))).toEqual(invalidFields(errors));
  });

  it.each(['end_ts=1e400', 'start_ts=-1e999'])('refuses an infinite number: %s', async (query) => {
    expect((await refusing.get(`/builds/${refusing.org}`, query)).status).toBe(400);
  });
});
