import { describe, expect, it } from 'vitest';
import { repoKey } from '#shared/evidence/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { ID, invalidFields, isTime, refusal } from '#test/support/evidence.ts';
import { newReposOrganization, reposApi } from './repos-api.ts';

const api = await reposApi();

/** Creates an organization with repositories of these names, each with an id of its own. */
async function withRepos(...names: string[]) {
  const acme = await newReposOrganization(api);
  for (const [i, name] of names.entries()) await acme.register({ id: String(i), name });
  return acme;
}

const several = await withRepos('acme/web', 'acme/API', 'other/web', 'b', 'a');

describe('GET /repos/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/repos/${org}`, needs: 'reader' });

  it('shows the facts of the latest report', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ description: 'The web site' });
    const { repos } = await acme.page();
    expect(repos).toEqual([
      {
        id: expect.stringMatching(ID),
        repo_id: '4711',
        name: 'acme/web',
        url: 'https://git.example/acme/web',
        provider: 'gitlab',
        description: 'The web site',
        tags: {},
        latest_activity: null,
        created_at: expect.toSatisfy(isTime),
        last_modified_at: expect.toSatisfy(isTime),
      },
    ]);
    await acme.register({ name: 'acme/site' });
    const [renamed] = (await acme.page()).repos;
    expect(renamed).toMatchObject({ id: repos[0]?.id, name: 'acme/site', description: 'The web site' });
  });

  it('shows null for a missing provider or description, and {} for missing tags', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ provider: undefined });
    expect((await acme.page()).repos).toMatchObject([{ provider: null, description: null, tags: {} }]);
  });

  it('answers an empty page without repositories, and after the last page', async () => {
    const acme = await newReposOrganization(api);
    expect(await acme.page()).toMatchObject({ repos: [], page: 1, per_page: 15, total_pages: 0, total_count: 0 });
    expect(await several.page('page=4&per_page=2')).toMatchObject({
      repos: [],
      page: 4,
      per_page: 2,
      total_pages: 3,
      total_count: 5,
    });
  });

  it('sorts by name, ascending by default', async () => {
    const names = ['a', 'acme/API', 'acme/web', 'b', 'other/web'];
    expect(await several.names()).toEqual(names);
    expect(await several.names('sort_direction=asc')).toEqual(names);
    expect(await several.names('sort_direction=desc')).toEqual(names.toReversed());
  });

  it('links to the neighbouring pages with the same query', async () => {
    expect(await several.names('per_page=2&page=2')).toEqual(['acme/web', 'b']);
    const { _links } = await several.page('sort_direction=asc&per_page=2&page=2');
    const at = (page: number) => ({
      href: `https://api.example/api/v2/repos/${several.org}?sort_direction=asc&per_page=2&page=${page}`,
    });
    expect(_links).toEqual({ self: at(2), first: at(1), prev: at(1), next: at(3), last: at(3) });
  });

  it('filters by the exact name, and searches for a text in names without regard to case', async () => {
    expect(await several.names('name=acme/web')).toEqual(['acme/web']);
    expect(await several.names('name=Acme/web')).toEqual([]);
    expect(await several.names('search=API')).toEqual(['acme/API']);
    expect(await several.names('search=api')).toEqual(['acme/API']);
    expect(await several.names('search=WEB')).toEqual(['acme/web', 'other/web']);
    expect(await several.names('search=nope')).toEqual([]);
    expect(await several.names('search=.')).toEqual([]);
  });

  it('filters by provider and by the id at the provider', async () => {
    const acme = await newReposOrganization(api);
    await acme.register({ id: '1', name: 'one', provider: 'github' });
    await acme.register({ id: '2', name: 'two', provider: 'bitbucket_cloud' });
    await acme.register({ id: '3', name: 'three', provider: 'bitbucket_dc' });
    await acme.register({ id: '1', name: 'four', provider: 'azure-devops' });
    expect(await acme.names('provider=github')).toEqual(['one']);
    expect(await acme.names('provider=bitbucket_dc')).toEqual(['three']);
    expect(await acme.names('provider=bitbucket')).toEqual(['three', 'two']);
    expect(await acme.names('provider=azure_devops_server')).toEqual(['four']);
    expect(await acme.names('provider=svn')).toEqual([]);
    expect(await acme.names('repo_id=1')).toEqual(['four', 'one']);
    expect(await acme.names('repo_id=1&provider=github')).toEqual(['one']);
    expect(await acme.names('repo_id=nope')).toEqual([]);
  });

  it('filters by tags: all keys must be there, with the given values', async () => {
    const acme = await withRepos('one', 'two', 'three');
    const tags = { one: { team: 'a', tier: '1' }, two: { team: 'b:c', tier: '1' }, three: { team: 'a' } };
    for (const [name, set] of Object.entries(tags)) {
      const { status } = await acme.call('PATCH', `/tags/${acme.org}/repo/${await acme.idOf(name)}`, {
        json: { set_tags: set },
      });
      expect(status).toBe(200);
    }
    expect(await acme.names('tag=team')).toEqual(['one', 'three', 'two']);
    expect(await acme.names('tag=team:a')).toEqual(['one', 'three']);
    expect(await acme.names('tag=team:b:c')).toEqual(['two']);
    expect(await acme.names('tag=team:a&tag=tier')).toEqual(['one']);
    expect(await acme.names('tag=team:a&tag=tier:2')).toEqual([]);
    expect(await acme.names('tag=Team')).toEqual([]);
    expect(await acme.names('tag=team:')).toEqual([]);
    expect(await acme.names('tag=a%23b')).toEqual([]);
    expect((await acme.page('name=one')).repos[0]?.tags).toEqual(tags.one);
  });

  it('shows a placeholder for a record that cannot be read', async () => {
    const acme = await withRepos('one', 'two');
    const item = await api.services.table.get(repoKey(acme.id, '0', 'gitlab'));
    if (!item) throw new Error('The repository is elsewhere');
    await api.services.table.put({ ...item, created: 'never' });
    expect((await acme.page()).repos).toMatchObject([{ name: 'one', unreadable: true }, { name: 'two' }]);
    expect((await acme.get(`/repos/${acme.org}/two`)).status).toBe(200);
  });

  it.each([
    ['page=0', { 'query.page': 'Input should be greater than or equal to 1 [input: 0]' }],
    ['per_page=0', { 'query.per_page': 'Input should be greater than or equal to 1 [input: 0]' }],
    ['per_page=51', { 'query.per_page': 'Input should be less than or equal to 50 [input: 51]' }],
    ['sort_direction=up', { 'query.sort_direction': "Input should be 'asc' or 'desc' [input: up]" }],
    ['name=a&search=b', { 'query.search': "Cannot be combined with 'name' [input: b]" }],
    [
      'name=a&search=b&page=0',
      {
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.search': "Cannot be combined with 'name' [input: b]",
      },
    ],
    [
      Array.from({ length: 11 }, (_, i) => `tag=${i}`).join('&'),
      { 'query.tag': expect.stringContaining('List should have at most 10 items after validation, not 11') },
    ],
  ])('refuses %s', async (query, errors) => {
    expect(refusal(await several.get(`/repos/${several.org}`, query))).toEqual(invalidFields(errors));
  });
});
