import { describe, expect, it } from 'vitest';
import { type EnvironmentId, newId, type PolicyId } from '#shared/base/ids.ts';
import { readControlHead } from '#shared/controls/records/controls.ts';
import { controlPolicyKey, controlTagKey, controlTagsKey, controlVersionKey } from '#shared/controls/records/keys.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { environmentLinksKey } from '#shared/environments/records/keys.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { policyHeadKey } from '#shared/policies/records/keys.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testId } from '#test/support/ids.ts';
import { controlsApi, controlUnknown, newOrganization, refusal } from './controls-api.ts';

const api = await controlsApi();
const { table, clock } = api.services;

interface Page {
  controls: { identifier: string }[];
  total_count: number;
  total_pages: number;
  _links: Record<string, { href: string }>;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe.each(['', '/A', '/A/versions', '/A/versions/1', '/A/coverage'])('GET /controls/{org}%s', (rest) => {
  describeAccess(api, { method: 'GET', path: (org) => `/controls/${org}${rest}`, needs: 'reader' });
});

describe('GET /controls/{org}', () => {
  it('filters by text and tags, and pages by name', async () => {
    const acme = await newOrganization(api);
    for (const [identifier, name] of [
      ['S-1', 'zeta'],
      ['S-2', 'Alpha'],
      ['T-3', 'mid s-1'],
    ] as const) {
      await acme.create({ identifier, name });
    }
    const tag = async (identifier: string, tags: Record<string, string>) => {
      const id = (await readControlHead(table, acme.id, identifier))?.id ?? '';
      await table.put({ ...controlTagsKey(acme.id, identifier), v: 1, tags });
      for (const [name, value] of Object.entries(tags)) {
        await table.put({ ...controlTagKey(acme.id, name, value, id), v: 1 });
      }
    };
    await tag('S-1', { team: 'red', tier: '1' });
    await tag('T-3', { team: 'blue' });
    const found = async (query: string) => {
      const { status, json } = await acme.list(query);
      expect(status).toBe(200);
      return (json as Page).controls.map(({ identifier }) => identifier);
    };
    expect(await found('')).toEqual(['S-2', 'T-3', 'S-1']);
    expect(await found('sort_direction=desc')).toEqual(['S-1', 'T-3', 'S-2']);
    expect(await found('search=S-1')).toEqual(['T-3', 'S-1']);
    expect(await found('search=&tag=')).toHaveLength(3);
    expect(await found('tag=team')).toEqual(['T-3', 'S-1']);
    expect(await found('tag=team:red')).toEqual(['S-1']);
    expect(await found('tag=team&tag=tier:1')).toEqual(['S-1']);
    expect(await found('tag=team&tag=tier:1&tag=team:red')).toEqual(['S-1']);
    expect(await found('tag=team&tag=tier:1&tag=team:blue')).toEqual([]);
    expect(await found('tag=team:green')).toEqual([]);
    expect(await found('page=2&per_page=2')).toEqual(['S-1']);
    expect(await found('page=9')).toEqual([]);
    const { json } = await acme.list('per_page=2&search=');
    expect(json).toMatchObject({ page: 1, per_page: 2, total_pages: 2, total_count: 3 });
    expect((json as Page)._links['self']?.href).toMatch(/^https:.*\/controls\/.*per_page=2/);
  });

  it.each([
    ['page=0', 'query.page'],
    ['page=x', 'query.page'],
    ['per_page=0', 'query.per_page'],
    ['per_page=101', 'query.per_page'],
    ['archived=maybe', 'query.archived'],
    ['sort_direction=up', 'query.sort_direction'],
  ])('refuses %s', async (query, field) => {
    const { status, json } = await refusing.list(query);
    expect(status).toBe(400);
    expect(Object.keys((json as { errors: object }).errors)).toEqual([field]);
  });

  it('shows a placeholder for a control that cannot be read', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'a' });
    const id = newId(clock.now());
    await table.put({ ...catalogueKey(acme.id, CONTROLS.name, id), v: 1, n: 'broken', i: 'B', a: false });
    await table.put({ ...storedKey(`${acme.id}#CONTROL#B`, 'HEAD'), v: 1, identifier: 'B' });
    const { json } = await acme.list();
    expect((json as Page).controls.map(({ identifier }) => identifier)).toEqual(['A', 'B']);
  });
});

describe('GET /controls/{org}/{identifier}', () => {
  it.each(['nope', 'bad identifier', '__proto__', 'x'.repeat(5_000)])('answers 404 for %j', async (identifier) => {
    expect(refusal(await refusing.get(identifier))).toEqual(controlUnknown(identifier, refusing.org));
  });
});

describe('GET /controls/{org}/{identifier}/versions/{version_number}', () => {
  it('answers the version as it was written, with its time and author', async () => {
    const acme = await newOrganization(api);
    const links = { wiki: 'https://wiki.example/' };
    const made = await acme.create({ identifier: 'A', name: 'first', description: 'd', links });
    await acme.update('A', { name: 'second' });
    const { status, json } = await acme.version('A', 1);
    expect([status, json]).toEqual([
      200,
      {
        identifier: 'A',
        version: 1,
        name: 'first',
        created_by: `${acme.org}-admin`,
        description: 'd',
        links,
        created_at: (made.json as { created_at: number }).created_at,
        archived: false,
        status: 'created',
      },
    ]);
  });

  it('answers the same sentence for an unknown control and an unknown version', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'a' });
    const missing = [404, { message: 'Control or version not found' }];
    expect(refusal(await acme.version('A', 2))).toEqual(missing);
    expect(refusal(await acme.version('A', 10 ** 14))).toEqual(missing);
    expect(refusal(await acme.version('B', 1))).toEqual(missing);
    expect(refusal(await acme.version('bad identifier', 1))).toEqual(missing);
  });

  it.each(['0', '-1', '1.5', 'abc'])('refuses the version number %s', async (number) => {
    const { status, json } = await refusing.version('A', number);
    expect(status).toBe(400);
    expect(Object.keys((json as { errors: object }).errors)).toEqual(['version_number']);
  });
});

describe('GET /controls/{org}/{identifier}/versions', () => {
  /** A control with four versions. */
  const changed = async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'first' });
    await acme.update('A', { name: 'second', description: 'd', links: { doc: 'https://x.example' } });
    await acme.archive('A');
    await acme.unarchive('A');
    const versions = (query = '') => acme.call('GET', `/controls/${acme.org}/A/versions`, { query });
    return { acme, versions };
  };
  const numbers = ({ json }: { json: unknown }) =>
    (json as { versions: { version: number }[] }).versions.map(({ version }) => version);

  it('lists the same records as GET of one version, newest first', async () => {
    const { acme, versions } = await changed();
    const { status, json, headers } = await versions();
    const single = await Promise.all([4, 3, 2, 1].map(async (number) => (await acme.version('A', number)).json));
    expect([status, json]).toMatchObject([
      200,
      { versions: single, page: 1, per_page: 15, total_pages: 1, total_count: 4 },
    ]);
    expect(single.map((version) => (version as { status: string }).status)).toEqual([
      'unarchived',
      'archived',
      'updated',
      'created',
    ]);
    expect(headers).toMatchObject({ 'x-total-count': '4' });
  });

  it('pages by number, every page with the same number of calls', async () => {
    const { versions } = await changed();
    const cost = async (query: string) => {
      const found = numbers(await versions(query));
      const { aws_calls: calls, aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
      return { found, calls, trips };
    };
    const first = await cost('per_page=3');
    expect(first).toMatchObject({ found: [4, 3, 2], calls: 2, trips: 2 });
    expect(await cost('per_page=3&page=2')).toEqual({ ...first, found: [1] });
    expect(await cost('per_page=3&page=3')).toMatchObject({ found: [] });
    const { json, headers } = await versions('per_page=1&page=2');
    expect(json).toMatchObject({ versions: [{ version: 3 }], total_pages: 4 });
    expect(headers['link']).toMatch(/rel="first".*rel="prev".*rel="next".*rel="last"/);
  });

  it.each([
    ['page=0', 'query.page'],
    ['page=x', 'query.page'],
    ['per_page=0', 'query.per_page'],
    ['per_page=101', 'query.per_page'],
  ])('refuses %s', async (query, field) => {
    const { status, json } = await (await changed()).versions(query);
    expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, [field]]);
  });

  it('shows a placeholder for a version that cannot be read', async () => {
    const { acme, versions } = await changed();
    await table.put({ ...controlVersionKey(acme.id, 'A', 3), v: 1, version: 'nonsense' });
    const { status, json } = await versions();
    expect([status, json]).toMatchObject([
      200,
      { versions: [{ version: 4 }, { identifier: 'A', version: 3, unreadable: true }, { version: 2 }, { version: 1 }] },
    ]);
  });

  it('answers 404 for an unknown control, also for one of another organization', async () => {
    const { acme } = await changed();
    const other = await newOrganization(api);
    for (const [of, identifier] of [
      [acme, 'B'],
      [acme, 'bad identifier'],
      [other, 'A'],
    ] as const) {
      const answer = await of.call('GET', `/controls/${of.org}/${identifier}/versions`);
      expect(refusal(answer)).toEqual(controlUnknown(identifier, of.org));
    }
  });
});

describe('GET /controls/{org}/{identifier}/coverage', () => {
  it('counts environments with an attached policy that names the control', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'a' });
    const [policy, other] = [newId<PolicyId>(clock.now()), newId<PolicyId>(clock.now())];
    const environments = ['prod', 'stage', 'test'].map((name) => ({ name, id: newId<EnvironmentId>(clock.now()) }));
    for (const { id, name } of environments) {
      await table.put({
        ...catalogueKey(acme.id, ENVIRONMENTS.name, id),
        v: 1,
        n: name,
        k: 'server',
        m: 0,
        r: 0,
        c: 0,
      });
    }
    const attach = (name: string, ...policies: PolicyId[]) => {
      const found = environments.find((environment) => environment.name === name);
      return table.put({ ...environmentLinksKey(acme.id, found?.id ?? testId('')), v: 1, policies, members: [] });
    };
    for (const [id, name] of [
      [policy, 'strict'],
      [other, 'other'],
    ] as const) {
      await table.put({ ...policyHeadKey(acme.id, id), v: 1, id, name });
      await table.put({ ...controlPolicyKey(acme.id, 'A', id), v: 1 });
    }
    await attach('prod', policy, other);
    await attach('test', policy);
    const coverage = async (query: string) =>
      (await acme.call('GET', `/controls/${acme.org}/A/coverage`, { query })).json;
    const prod = { name: 'prod', type: 'server', covered: true, policies: ['other', 'strict'] };
    const stage = { name: 'stage', type: 'server', covered: false, policies: [] };
    const counts = { total: 3, covered: 2, coverage_percent: (100 * 2) / 3 };
    expect(await coverage('')).toMatchObject({
      ...counts,
      total_count: 3,
      environments: [prod, stage, { name: 'test' }],
    });
    expect(await coverage('covered=false')).toMatchObject({ ...counts, total_count: 1, environments: [stage] });
    expect(await coverage('covered=true&name=PRO')).toMatchObject({ ...counts, environments: [prod] });
    expect(await coverage('page=3&per_page=1')).toMatchObject({ environments: [{ name: 'test' }] });
    expect((await acme.get('A')).json).toMatchObject({ policies_referencing: ['other', 'strict'] });
  });

  it('answers zeros without environments, and 404 for an unknown control', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'a' });
    const { json } = await acme.call('GET', `/controls/${acme.org}/A/coverage`);
    expect(json).toMatchObject({ total: 0, covered: 0, coverage_percent: 0, environments: [] });
    const missing = await acme.call('GET', `/controls/${acme.org}/B/coverage`);
    expect(refusal(missing)).toEqual(controlUnknown('B', acme.org));
  });
});
