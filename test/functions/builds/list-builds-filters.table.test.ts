import { describe, expect, it } from 'vitest';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { aRepo, invalidFields, refusal } from '#test/support/evidence.ts';
import { builder, buildsApi } from './builds-api.ts';

const api = await buildsApi();
const { clock } = api.services;
const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const refusing = await builder(api);

describe('the window', () => {
  it('includes both ends', async () => {
    const acme = await builder(api);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await acme.build(name);
      clock.advance(10 * SECOND);
    }
    const times = (await acme.page()).builds.map((build) => build.created_at);
    const [newest = 0, , middle = 0, , oldest = 0] = times;
    expect(await acme.names(`start_ts=${middle}&end_ts=${newest}`)).toEqual(['e', 'd', 'c']);
    expect(await acme.names(`start_ts=${oldest}&end_ts=${middle}`)).toEqual(['c', 'b', 'a']);
    expect(await acme.names(`start_ts=${middle}&end_ts=${middle}`)).toEqual(['c']);
    expect(await acme.names(`start_ts=${middle + 0.01}&end_ts=${newest - 0.01}`)).toEqual(['d']);
    expect(await acme.names(`start_ts=${middle}`)).toEqual(['e', 'd', 'c']);
    expect(await acme.names(`end_ts=${middle}`)).toEqual(['c', 'b', 'a']);
    expect(await acme.page(`start_ts=${middle}&per_page=2`)).toMatchObject({ total_count: 3, total_pages: 2 });
  });

  it('is exact to the microsecond, so that neighbouring windows neither share nor lose a build', async () => {
    const acme = await builder(api);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await acme.build(name);
    const times = (await acme.page()).builds.map((build) => build.created_at).toReversed();
    const [a = 0, , , , e = 0] = times;
    for (const border of times) {
      const before = await acme.names(`start_ts=${a}&end_ts=${border}`);
      const next = (Math.round(border * 1e6) + 1) / 1e6;
      const after = await acme.names(`start_ts=${next}&end_ts=${e + 1}`);
      expect([...after, ...before]).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(before).toHaveLength(times.indexOf(border) + 1);
      const previous = (Math.round(border * 1e6) - 1) / 1e6;
      for (const [at, count] of [
        [previous, 0],
        [border, 1],
        [next, 0],
      ])
        expect(await acme.names(`start_ts=${at}&end_ts=${at}`)).toHaveLength(count ?? NaN);
    }
  });

  it('ends now and starts 28 days before its end by default', async () => {
    const acme = await builder(api);
    await acme.build('old');
    const [{ created_at: old = 0 } = {}] = (await acme.page()).builds;
    clock.advance(28 * DAY + SECOND);
    await acme.build('new');
    expect(await acme.names()).toEqual(['new']);
    expect(await acme.names(`start_ts=${old}`)).toEqual(['new', 'old']);
    expect(await acme.names(`end_ts=${old + 28 * 86_400}`)).toEqual(['old']);
    expect(await acme.names(`end_ts=${old + 28 * 86_400 + 0.01}`)).toEqual([]);
    expect(await acme.names('start_ts=0')).toEqual(['new', 'old']);
    expect(await acme.names('start_ts=-1e300&end_ts=1e300')).toEqual(['new', 'old']);
  });

  it.each(['start_ts=200&end_ts=100', 'start_ts=9000000000', 'start_ts=100.5&end_ts=100.4'])(
    'is refused if it ends before it starts: %s',
    async (query) => {
      const start = new URLSearchParams(query).get('start_ts');
      expect(refusal(await refusing.get(`/builds/${refusing.org}`, query))).toEqual(
        invalidFields({ 'query.start_ts': `Input should be less than or equal to end_ts [input: ${Number(start)}]` }),
      );
    },
  );
});

it('names the window together with other wrong parameters, but compares no end that cannot be read', async () => {
  const order = (start: number) => `Input should be less than or equal to end_ts [input: ${start}]`;
  const page = 'Input should be greater than or equal to 1 [input: 0]';
  expect(refusal(await refusing.get(`/builds/${refusing.org}`, 'start_ts=2&end_ts=1&page=0'))).toEqual(
    invalidFields({ 'query.start_ts': order(2), 'query.page': page }),
  );
  expect(refusal(await refusing.get(`/builds/${refusing.org}`, 'start_ts=9000000000&end_ts=x'))).toEqual(
    invalidFields({
      'query.end_ts': 'Input should be a valid number, unable to parse string as a number [input: x]',
    }),
  );
});

describe('the filters by repository', () => {
  it('compare the present names of the repositories, and the permanent inner id', async () => {
    const acme = await builder(api);
    await acme.build('a', { repo_info: aRepo() });
    await acme.build('b', { repo_info: aRepo({ id: '1', name: 'acme/api' }) });
    await acme.build('c');
    const [web = ''] = await acme.idOf('acme/web');
    for (const query of ['repo_id=4711', 'external_repo_id=4711', 'repo_name=acme/web']) {
      expect(await acme.names(query)).toEqual(['a']);
    }
    await acme.build('d', { repo_info: aRepo({ name: 'acme/site' }) });
    expect(await acme.names('repo_name=acme/web')).toEqual([]);
    expect(await acme.names('repo_name=acme/site')).toEqual(['d', 'a']);
    expect(await acme.names('repo_id=4711')).toEqual(['d', 'a']);
    for (const query of [`repo_inner_id=${web}`, `repo_internal_id=${web}`]) {
      expect(await acme.names(query)).toEqual(['d', 'a']);
    }
  });

  it('still find builds by the inner id after a provider becomes known', async () => {
    const acme = await builder(api);
    await acme.build('a', { repo_info: aRepo({ provider: undefined }) });
    const [id] = await acme.idOf('acme/web');
    await acme.build('b', { repo_info: aRepo({ provider: 'github' }) });
    expect(await acme.names(`repo_inner_id=${id}`)).toEqual(['b', 'a']);
    expect((await acme.page(`repo_inner_id=${id}`)).builds[1]?.repo_info).toMatchObject({ provider: 'github' });
  });

  it('must all match', async () => {
    const acme = await builder(api);
    await acme.build('a', { repo_info: aRepo() });
    await acme.build('b', { repo_info: aRepo({ id: '1', name: 'acme/api' }) });
    const [web] = await acme.idOf('acme/web');
    expect(await acme.names(`repo_name=acme/web&repo_id=4711&repo_inner_id=${web}`)).toEqual(['a']);
    for (const query of ['repo_name=acme/web&repo_id=1', `repo_name=acme/api&repo_inner_id=${web}`]) {
      expect(await acme.page(query)).toMatchObject({ builds: [], total_count: 0, has_builds_ever: false });
    }
    expect(await acme.names(`repo_id=1&repo_inner_id=${web}`)).toEqual([]);
  });

  it('merge the builds of several repositories with one name, or with one id at several providers', async () => {
    const acme = await builder(api);
    const repos = [aRepo({ id: '1' }), aRepo({ id: '2' }), aRepo({ id: '1', provider: 'github' })];
    for (let i = 0; i < 9; i += 1) await acme.build(`n${i}`, { repo_info: repos[i % 3] });
    const all = ['n8', 'n7', 'n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0'];
    expect(await acme.names('repo_name=acme/web')).toEqual(all);
    expect(await acme.names('repo_name=acme/web&per_page=4&page=2')).toEqual(all.slice(4, 8));
    expect(await acme.page('repo_name=acme/web&per_page=4&page=2')).toMatchObject({ total_count: 9, total_pages: 3 });
    expect(await acme.names('repo_id=1')).toEqual(['n8', 'n6', 'n5', 'n3', 'n2', 'n0']);
    expect(await acme.page('repo_id=1&page=100000000000')).toMatchObject({ builds: [], total_count: 6 });
  });

  it('are refused if they match more than twenty repositories', async () => {
    const acme = await builder(api);
    for (let i = 0; i < 21; i += 1) await acme.begin({ repo_info: aRepo({ id: String(i) }) });
    expect(refusal(await acme.get(`/builds/${acme.org}`, 'repo_name=acme/web'))).toEqual(
      invalidFields({ 'query.repo_name': 'Fits more than 20 repositories. Ask for one by its internal id' }),
    );
  });

  it('find the same builds before and after the relay has written the facets', async () => {
    const acme = await builder(api);
    for (let i = 0; i < 9; i += 1) await acme.build(`n${i}`, { repo_info: aRepo({ id: String(i % 2) }) });
    const queries = ['', 'repo_id=1', 'repo_id=0&per_page=2&page=2', 'start_ts=0&repo_id=1'];
    const read = () =>
      Promise.all(
        queries.map((query) =>
          acme.page(query).then(({ builds, ...page }) => [builds, page.total_count, page.has_builds_ever]),
        ),
      );
    const before = await read();
    clock.advance(600 * SECOND);
    await settleSeries(api.services.table, acme.id, EVIDENCE_FACETS, 'builds', clock.now(), new Set(), { every: 2 });
    expect(await read()).toEqual(before);
  });
});
