import { describe, expect, it, vi } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { countingTable } from '#test/support/table/units.ts';
import { jq, newOrganization, refusal, refused, typesApi } from './types-api.ts';

const api = await typesApi();

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('GET /custom-attestation-types/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/custom-attestation-types/${org}`, needs: 'reader' });

  it('answers an empty array if there is no type', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list())).toEqual([200, []]);
  });

  it('lists the same records as GET of one type, sorted by name', async () => {
    const acme = await newOrganization(api);
    for (const name of ['b', 'a', 'C']) await acme.post({ name, description: name }, '{"maximum":1.50}');
    await acme.post({ name: 'b', evaluator: jq('.x') });
    const { status, json, text } = await acme.list();
    expect([status, json]).toEqual([200, await Promise.all(['C', 'a', 'b'].map((name) => acme.read(name)))]);
    expect(text).toContain('{"maximum":1.50}');
    await acme.list();
    expect(api.entries.at(-1)).toMatchObject({ status: 200, aws_sequential: 2 });
  });

  it('omits archived types unless archived=true', async () => {
    const acme = await newOrganization(api);
    for (const name of ['gone', 'stays']) await acme.post({ name });
    await acme.archive('gone');
    expect(await acme.names()).toEqual(['stays']);
    expect(await acme.names('archived=false')).toEqual(['stays']);
    expect(await acme.names('archived=true')).toEqual(['gone', 'stays']);
    expect((await acme.list('archived=true')).json).toMatchObject([{ archived: true }, { archived: false }]);
  });

  it('searches names in upper and lower case', async () => {
    const acme = await newOrganization(api);
    for (const name of ['Coverage', 'scan', 'uncovered']) await acme.post({ name });
    expect(await acme.names('search=COVER')).toEqual(['Coverage', 'uncovered']);
    expect(await acme.names('search=')).toHaveLength(3);
    expect(await acme.names('search=nope')).toEqual([]);
  });

  it('is an array of one page, with totals and links in headers, if a page is asked for', async () => {
    const acme = await newOrganization(api);
    for (const name of ['a', 'b', 'c', 'other']) await acme.post({ name });
    await acme.archive('c');
    const { table: sound } = api.services;
    const { table, units } = countingTable(sound);
    api.services.table = table;
    const page = await acme.list('per_page=2&page=1&archived=true&search=');
    api.services.table = sound;
    expect(page.json).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(page.headers).toMatchObject({ 'x-total-count': '4', 'x-total-pages': '2', 'x-per-page': '2' });
    expect(page.headers['link']).toContain('page=2&archived=true&search=>; rel="next"');
    // The catalogue and two types. Types outside of the page are not read.
    expect(units.read).toBe(3);
    expect(await acme.names('page=2&per_page=2')).toEqual(['other']);
    expect(await acme.names('page=3&per_page=2')).toEqual([]);
    expect((await acme.list('page=1')).headers).toMatchObject({ 'x-per-page': '20', 'x-total-count': '3' });
    expect((await acme.list()).headers).not.toHaveProperty('x-total-count');
  });

  it('omits schema, evaluator and summary of the versions if short=true', async () => {
    const acme = await newOrganization(api);
    await acme.post({ name: 't', description: 'd', evaluator: jq('.x') }, '{"type":"object"}');
    await acme.post({ name: 't' });
    const [whole] = (await acme.list()).json as { versions: Record<string, unknown>[] }[];
    const [short] = (await acme.list('short=true')).json as { versions: Record<string, unknown>[] }[];
    expect(short).toEqual({
      ...whole,
      versions: whole?.versions.map(({ version, timestamp, created_by }) => ({ version, timestamp, created_by })),
    });
    expect(short?.versions.map(({ version }) => version)).toEqual([2, 1]);
    expect((await acme.list('short=false')).json).toEqual([whole]);
  });

  it.each([
    ['short=perhaps', 'query.short'],
    ['page=0', 'query.page'],
    ['page=x', 'query.page'],
    ['per_page=0', 'query.per_page'],
    ['per_page=101', 'query.per_page'],
  ])('refuses %s', async (query, field) => {
    const { status, json } = await refusing.list(query);
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, [field]]);
  });

  it('refuses a value of archived that is not a boolean', async () => {
    expect(refusal(await refusing.list('archived=maybe'))).toEqual(
      refused({ 'query.archived': 'Input should be a valid boolean, unable to interpret input [input: maybe]' }),
    );
  });

  it('shows a placeholder for a record that cannot be read, and logs the record', async () => {
    const acme = await newOrganization(api);
    for (const name of ['broken', 'sound']) await acme.post({ name });
    await api.services.table.put({ ...storedKey(`${acme.id}#TYPE#broken`, 'V#0000000001'), v: 1, number: 'nonsense' });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { status, json } = await acme.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining('Unreadable record: custom type broken'));
    log.mockRestore();
    expect([status, json]).toMatchObject([
      200,
      [{ name: 'broken', org: acme.org, versions: [], unreadable: true }, { name: 'sound' }],
    ]);
  });

  it('does not show types of another organization', async () => {
    const [one, other] = [await newOrganization(api), await newOrganization(api)];
    await one.post({ name: 't' });
    expect(await other.names('archived=true')).toEqual([]);
  });
});
