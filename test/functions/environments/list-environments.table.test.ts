import { describe, expect, it, vi } from 'vitest';
import { environmentFactsKey } from '#shared/environments/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { environmentsApi, newOrganization, refusal, refused } from './environments-api.ts';

const api = await environmentsApi();

const listed = await newOrganization(api);
const NAMES = ['Web-api', 'batch', 'group', 'web', 'zeta.v1'];
const TYPES = ['docker', 'K8S', 'logical', 'server', 'cloud-run'];
for (const [i, name] of NAMES.entries()) await listed.put({ name, type: TYPES[i] });
await listed.tag('web', { tier: 'one', 'a.b': 'x:y' });
await listed.tag('batch', { tier: 'two', Tier: 'one', empty: '' });
await listed.tag('zeta.v1', { tier: 'one' });

describe('GET /environments/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/environments/${org}`, needs: 'reader' });

  it('is an empty array or an empty page without environments', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list())).toEqual([200, []]);
    expect(refusal(await acme.list('page=1'))).toEqual([
      200,
      { page: 1, per_page: 15, total_pages: 0, total_count: 0, environments: [] },
    ]);
  });

  it('is an array of all, ordered by name, without paging parameters; each equals its own record', async () => {
    const { json } = await listed.list();
    expect(json).toEqual(await Promise.all(NAMES.map((name) => listed.read(name))));
  });

  it('is a page if one paging parameter is given', async () => {
    expect((await listed.list('per_page=2')).json).toMatchObject({
      page: 1,
      per_page: 2,
      total_pages: 3,
      total_count: 5,
      environments: [{ name: 'Web-api' }, { name: 'batch' }],
    });
    expect((await listed.list('page=3&per_page=2')).json).toMatchObject({
      page: 3,
      per_page: 2,
      total_pages: 3,
      total_count: 5,
      environments: [{ name: 'zeta.v1' }],
    });
  });

  it('answers an empty page past the end, with the number of that page', async () => {
    expect(refusal(await listed.list('page=9&per_page=15'))).toEqual([
      200,
      { page: 9, per_page: 15, total_pages: 1, total_count: 5, environments: [] },
    ]);
  });

  it.each([
    ['name=web', ['Web-api', 'web']],
    ['name=WEB', ['Web-api', 'web']],
    ['name=.', ['zeta.v1']],
    ['name=', NAMES],
    ['name=.*', []],
    ['type=docker&type=server', ['Web-api', 'web']],
    ['type=container-orchestrator', ['batch']],
    ['type=logical', ['group']],
    ['type=lambda', []],
    ['space_id=any', []],
    ['space_id=a&space_id=b&page=1', []],
    ['tag=tier', ['batch', 'web', 'zeta.v1']],
    ['tag=tier:one', ['web', 'zeta.v1']],
    ['tag=tier:one&tag=a.b', ['web']],
    ['tag=a.b:x:y', ['web']],
    ['tag=tier:one&tag=tier:two', []],
    ['tag=Tier', ['batch']],
    ['tag=tier:One', []],
    ['tag=empty:', ['batch']],
    ['tag=tier:', []],
    ['tag=tier&name=web', ['web']],
    ['tag=toString', []],
    ['sort=name&sort_direction=desc', NAMES.toReversed()],
    ['name=web&sort_direction=desc&per_page=1', ['web']],
  ])('answers ?%s', async (query, names) => {
    expect(await listed.names(query)).toEqual(names);
  });

  it('counts the environments that match the filters', async () => {
    expect((await listed.list('tag=tier&page=1&per_page=2')).json).toMatchObject({ total_count: 3, total_pages: 2 });
  });

  it('sorts by the newest snapshot, those without any first, and by the last change of any kind', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b', 'c', 'd');
    const now = Math.ceil((await acme.read('d')).last_modified_at);
    await acme.reported('a', { r: now + 300, c: 300 });
    await acme.reported('b', { r: now + 100, c: 100 });
    await acme.reported('d', { r: now + 200, c: 300 });
    expect(await acme.names('sort=last_changed_at')).toEqual(['c', 'b', 'a', 'd']);
    expect(await acme.names('sort=last_changed_at&sort_direction=desc')).toEqual(['d', 'a', 'b', 'c']);
    expect(await acme.names('sort=last_modified_at')).toEqual(['c', 'b', 'd', 'a']);
    expect(await acme.names('sort=last_modified_at&sort_direction=desc&per_page=2')).toEqual(['a', 'd']);
  });

  it('leaves archived environments out and shows present names', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('gone', 'before', 'stays');
    await acme.rename('before', 'after');
    await acme.archive('gone');
    expect(await acme.names()).toEqual(['after', 'stays']);
    expect(await acme.names('name=BEF')).toEqual([]);
  });

  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=x', 'query.page', 'Input should be a valid integer, unable to parse string as an integer [input: x]'],
    ['per_page=0', 'query.per_page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['per_page=101', 'query.per_page', 'Input should be less than or equal to 100 [input: 101]'],
    ['type=k8s', 'query.type[0]', expect.stringMatching(/^Input should be 'K8S', .* \[input: k8s\]$/)],
    ['sort=age', 'query.sort', "Input should be 'name', 'last_modified_at', 'last_changed_at' or 'state' [input: age]"],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
  ])('refuses ?%s', async (query, field, text) => {
    expect(refusal(await listed.list(query))).toEqual(refused({ [field]: text }));
  });

  it('shows a placeholder for an unreadable record, and logs it', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('broken', 'sound');
    const { id } = await acme.head('broken');
    await api.services.table.put({ ...environmentFactsKey(acme.id, id), v: 1, facts: 'nonsense', rev: 1 });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { status, json } = await acme.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining(`Unreadable record: environment ${id}`));
    log.mockRestore();
    expect([status, json]).toMatchObject([
      200,
      [{ name: 'broken', type: 'server', description: '', unreadable: true }, { name: 'sound' }],
    ]);
  });

  it('reads the catalogue, then the details of all, then names that it does not remember', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('p');
    const names = Array.from({ length: 60 }, (_, i) => `env-${String(i).padStart(3, '0')}`);
    for (let i = 0; i < names.length; i += 10) {
      await Promise.all(names.slice(i, i + 10).map((name) => acme.put({ name, type: 'server', policies: ['p'] })));
    }
    expect(await acme.names()).toEqual(names);
    await acme.list('tag=tier&page=1');
    await acme.tag('env-007', { tier: 'one' });
    expect(await acme.names('tag=tier&page=1&per_page=100')).toEqual(['env-007']);
    expect(api.entries.at(-1)).toMatchObject({ status: 200, aws_calls: 2 });
  });
});
