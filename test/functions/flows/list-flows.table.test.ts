import { describe, expect, it, vi } from 'vitest';
import { keyIn, storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testPartition } from '#test/support/ids.ts';
import { flowsApi, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();

const listed = await newOrganization(api);
const NAMES = ['Web-api', 'batch', 'web', 'web-~x', 'zeta.v1'];
for (const name of NAMES.toReversed()) await listed.put({ name });

/** Writes activities of flows, as the relay does. */
async function writeActivities(
  acme: Awaited<ReturnType<typeof newOrganization>>,
  times: Record<string, number>,
): Promise<void> {
  const organization = await api.services.table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
  for (const [name, seconds] of Object.entries(times)) {
    const { id } = await acme.read(name);
    const pk = testPartition(`${organization?.['id']}#CATALOGUE#flow`);
    await api.services.table.put({ ...keyIn(pk, `${id}#ACTIVITY`), v: 1, at: seconds * 1e6, state: 'COMPLIANT' });
  }
}

describe('GET /flows/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/flows/${org}`, needs: 'reader' });

  it('answers an empty array, or an empty page, if there is no flow', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list())).toEqual([200, []]);
    expect(refusal(await acme.list('page=1'))).toEqual([
      200,
      { data: [], pagination: { total: 0, page: 1, per_page: 20, page_count: 0 } },
    ]);
  });

  it('answers an array of all flows, sorted by name, without paging parameters', async () => {
    expect(await listed.names()).toEqual(NAMES);
    const { json } = await listed.list();
    expect(json).toEqual(await Promise.all(NAMES.map((name) => listed.read(name))));
  });

  it('answers a page if one of the paging parameters is given', async () => {
    expect((await listed.list('per_page=2')).json).toMatchObject({
      data: [{ name: 'Web-api' }, { name: 'batch' }],
      pagination: { total: 5, page: 1, per_page: 2, page_count: 3 },
    });
    expect((await listed.list('page=3&per_page=2')).json).toMatchObject({
      data: [{ name: 'zeta.v1' }],
      pagination: { total: 5, page: 3, per_page: 2, page_count: 3 },
    });
  });

  it('answers an empty page with the requested page number after the last page', async () => {
    expect(refusal(await listed.list('page=9'))).toEqual([
      200,
      { data: [], pagination: { total: 5, page: 9, per_page: 20, page_count: 1 } },
    ]);
  });

  it('shows each flow on one page, in the order of the whole list', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => listed.names(`page=${page}&per_page=2`)));
    expect(pages.flat()).toEqual(NAMES);
  });

  it.each([
    ['search_by_name=web', ['web', 'web-~x']],
    ['search_by_name=web&case_sensitive=true', ['web', 'web-~x']],
    ['search_by_name=WEB&case_sensitive=false', ['Web-api', 'web', 'web-~x']],
    ['search_by_name=-', ['Web-api', 'web-~x']],
    ['search_by_name=.', ['zeta.v1']],
    ['search_by_name=~', ['web-~x']],
    ['search_by_name=%7E', ['web-~x']],
    ['search_by_name=', NAMES],
    ['search_by_name=.*', []],
    ['search_by_name=nothing', []],
    ['sort_direction=desc', NAMES.toReversed()],
    ['search_by_name=web&sort_direction=desc&per_page=1', ['web-~x']],
  ])('answers ?%s', async (query, names) => {
    expect(await listed.names(query)).toEqual(names);
  });

  it('counts only the flows that the search finds', async () => {
    expect((await listed.list('search_by_name=web&page=1&per_page=1')).json).toMatchObject({
      pagination: { total: 2, page_count: 2 },
    });
  });

  it('sorts by latest activity, and flows without activity as the oldest', async () => {
    const acme = await newOrganization(api);
    for (const name of ['a', 'b', 'c', 'd']) await acme.put({ name });
    await writeActivities(acme, { a: 300, b: 100, d: 300 });
    expect(await acme.names('sort=latest_activity')).toEqual(['c', 'b', 'a', 'd']);
    expect(await acme.names('sort=latest_activity&sort_direction=desc')).toEqual(['d', 'a', 'b', 'c']);
  });

  it('omits archived flows and shows present names', async () => {
    const acme = await newOrganization(api);
    for (const name of ['gone', 'before', 'stays']) await acme.put({ name });
    await acme.rename('before', 'after');
    await acme.archive('gone');
    expect(await acme.names()).toEqual(['after', 'stays']);
    expect((await acme.list('page=1')).json).toMatchObject({ pagination: { total: 2 } });
  });

  it.each([
    ['page=0', 'query.page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['page=x', 'query.page', 'Input should be a valid integer, unable to parse string as an integer [input: x]'],
    ['name=web', 'query.name', expect.stringMatching(/^Unknown parameter 'name'/)],
    ['per_page=0', 'query.per_page', 'Input should be greater than or equal to 1 [input: 0]'],
    ['per_page=101', 'query.per_page', 'Input should be less than or equal to 100 [input: 101]'],
    ['sort=age', 'query.sort', "Input should be 'name' or 'latest_activity' [input: age]"],
    ['sort_direction=up', 'query.sort_direction', "Input should be 'asc' or 'desc' [input: up]"],
    [
      'case_sensitive=maybe',
      'query.case_sensitive',
      'Input should be a valid boolean, unable to interpret input [input: maybe]',
    ],
  ])('refuses ?%s', async (query, field, text) => {
    expect(refusal(await listed.list(query))).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { [field]: text } },
    ]);
  });

  it('shows a placeholder for a record that cannot be read, and logs the record', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'broken', description: 'd' });
    await acme.put({ name: 'sound' });
    const { id } = await acme.read('broken');
    const { table } = api.services;
    const organization = await table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
    await table.put({ ...storedKey(`${organization?.['id']}#FLOW#${id}`, 'FACTS'), v: 1, facts: 'nonsense', rev: 1 });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { status, json } = await acme.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining(`Unreadable record: flow ${id}`));
    log.mockRestore();
    expect([status, json]).toMatchObject([
      200,
      [{ id, name: 'broken', description: '', tags: {}, unreadable: true }, { name: 'sound' }],
    ]);
  });

  it('reads more flows than one batch of the database holds', async () => {
    const acme = await newOrganization(api);
    const names = Array.from({ length: 110 }, (_, i) => `flow-${String(i).padStart(3, '0')}`);
    for (let i = 0; i < names.length; i += 10) {
      await Promise.all(names.slice(i, i + 10).map((name) => acme.put({ name })));
    }
    expect(await acme.names()).toEqual(names);
    expect(await acme.names('page=2&per_page=100')).toEqual(names.slice(100));
    expect(api.entries.at(-1)).toMatchObject({ status: 200, aws_sequential: 2 });
  });
});
