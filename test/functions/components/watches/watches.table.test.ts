import { describe, expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { toSeconds } from '#shared/base/time.ts';
import { watchKey } from '#shared/watches/records/keys.ts';
import { MOST_WATCHES } from '#shared/watches/rules/watch.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { OLD_LODASH } from './watch-api.ts';

/** Watches (rules/watches.md). */

const api = await testApi([componentsGroup]);
const { clock, table } = api.services;
const acme = await newOrganization(api);
const { org } = acme;
const put = (name: string, json: unknown = OLD_LODASH) => acme.call('PUT', `/watches/${org}/${name}`, { json });
const get = (name: string) => acme.get(`/watches/${org}/${name}`);
const remove = (name: string) => acme.call('DELETE', `/watches/${org}/${name}`);
const fieldsOf = (json: unknown) => Object.keys((json as { errors?: object }).errors ?? {}).toSorted();

describe('PUT /watches/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (name) => `/watches/${name}/lodash`,
    request: { json: OLD_LODASH },
    needs: 'member',
  });

  it('creates a watch, and changes what is said beside its question', async () => {
    const { status, json } = await put('lodash', { ...OLD_LODASH, vulnerability: 'CVE-2020-8203' });
    expect([status, json]).toMatchObject([
      201,
      {
        ...{ name: 'lodash', ...OLD_LODASH, package: 'pkg:npm/lodash', vulnerability: 'CVE-2020-8203' },
        ...{ description: null, known_since: null, known_by: null },
      },
    ]);
    const since = Math.floor(toSeconds(clock.now())) - 60;
    const known = { known_since: since, known_note: 'A mail of the vendor' };
    const changed = await put('lodash', { purl: 'pkg:NPM/lodash', versions: 'vers:npm/ <4.17.21', ...known });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { ...OLD_LODASH, vulnerability: null, ...known, known_by: expect.any(String) },
    ]);
    // Who said it first, stays, and without the field it is unchanged.
    expect((await put('lodash', { ...OLD_LODASH, ...known })).json).toEqual(changed.json);
    expect((await put('lodash')).json).toMatchObject(known);
    expect((await put('lodash', { ...OLD_LODASH, known_since: null })).json).toMatchObject({ known_since: null });
    expect((await get('lodash')).json).toMatchObject({ name: 'lodash', asked_at: null, matched_at: null });
  });

  it('answers 400 with every problem, field by field', async () => {
    const errors = async (name: string, json: unknown) => {
      const answer = await put(name, json);
      return [answer.status, ...fieldsOf(answer.json)];
    };
    expect(await errors('-a', {})).toEqual([400, 'name', 'purl']);
    expect(await errors('new', { purl: 'lodash', versions: 'all', known_note: 'a' })).toEqual([
      ...[400, 'known_note', 'purl', 'versions'],
    ]);
    expect(await errors('new', { purl: 'pkg:npm/lodash' })).toEqual([400, 'versions']);
    expect(await errors('new', { ...OLD_LODASH, name: 'x', vulnerability: '', description: 7 })).toEqual([
      ...[400, 'description', 'name', 'vulnerability'],
    ]);
    expect(await errors('new', { ...OLD_LODASH, known_since: 4_000_000_000 })).toEqual([400, 'known_since']);
    await put('asked');
    expect(await errors('asked', { purl: 'pkg:npm/other', versions: 'vers:npm/<4.17.21' })).toEqual([400, 'purl']);
    expect(await errors('asked', { ...OLD_LODASH, versions: 'vers:npm/*' })).toEqual([400, 'versions']);
  });

  it('makes one watch for two writers at once, and both succeed', async () => {
    const both = await Promise.all([put('both'), put('both', { ...OLD_LODASH, description: 'the other' })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 201]);
  });

  it('leaves nothing if the write fails', async () => {
    const failing = await testApi([componentsGroup], {
      table: faultyTable(table, ({ command }) => (command === 'TransactWrite' ? 'timeout-before' : undefined)),
    });
    const lost = { key: acme.keys.member, json: OLD_LODASH };
    expect((await failing.call('PUT', `/watches/${org}/lost`, lost)).status).toBe(503);
    expect((await get('lost')).status).toBe(404);
  });

  it('takes 100 watches of an organization and no more', async () => {
    const other = await newOrganization(api);
    const call = (name: string) => other.call('PUT', `/watches/${other.org}/${name}`, { json: OLD_LODASH });
    await call('w-0');
    const item = await table.get(watchKey(other.id, 'w-0'));
    const rest = Array.from({ length: MOST_WATCHES - 1 }, (_, i) => `w-${i + 1}`);
    await table.putMany(rest.map((name) => ({ ...item, ...watchKey(other.id, name), name })));
    const refused = await call('one-more');
    expect([refused.status, refused.json]).toMatchObject([400, { message: expect.stringContaining('at most 100') }]);
    expect((await call('w-7')).status).toBe(200);
  });
});

describe('GET /watches/{org}', () => {
  describeAccess(api, { method: 'GET', path: (name) => `/watches/${name}`, needs: 'reader' });

  it('lists watches by name, in pages, and one that cannot be read', async () => {
    const other = await newOrganization(api);
    for (const name of ['b', 'a', 'c'])
      await other.call('PUT', `/watches/${other.org}/${name}`, { json: { purl: 'pkg:npm/x@1.0.0' } });
    const item = await table.get(watchKey(other.id, 'b'));
    await table.put({ ...item, ...watchKey(other.id, 'b'), purl: 7 });
    const first = await other.get(`/watches/${other.org}`, 'per_page=2');
    const { watches, next_cursor: cursor } = first.json as { watches: object[]; next_cursor: string };
    expect(watches).toMatchObject([
      { name: 'a', versions: null },
      { name: 'b', unreadable: true },
    ]);
    const second = await other.get(`/watches/${other.org}`, `per_page=2&cursor=${cursor}`);
    expect(second.json).toMatchObject({ watches: [{ name: 'c' }], next_cursor: null });
    expect((await acme.get(`/watches/${org}`, `cursor=${cursor}`)).status).toBe(400);
  });
});

describe('DELETE /watches/{org}/{name}', () => {
  it('removes the watch, and the name is free for another question', async () => {
    await put('gone');
    expect(await remove('gone')).toMatchObject({ status: 200, json: 'OK' });
    const missing = [await get('gone'), await remove('gone')];
    expect(missing.map(({ status }) => status)).toEqual([404, 404]);
    expect((await put('gone', { purl: 'pkg:pypi/zope@5.0' })).status).toBe(201);
  });
});
