import { describe, expect, it } from 'vitest';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { expectationKey, expectationVersionKey } from '#shared/expectations/records/keys.ts';
import { cataloguePartition } from '#shared/series/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { expectationsApi, expectingOrganization } from './expectations-api.ts';

const api = await expectationsApi();
const MINUTE = 60_000_000;
const NAME = 'none';

describe.each([
  ['list', ''],
  ['get', `/${NAME}`],
  ['versions', `/${NAME}/versions`],
  ['subjects', `/${NAME}/subjects`],
])('GET: %s', (_, path) => {
  describeAccess(api, { method: 'GET', path: (org) => `/expectations/${org}${path}`, needs: 'reader' });
});

it.each([`/${NAME}`, `/${NAME}/versions`, `/${NAME}/subjects`])(
  'GET /expectations/{org}%s answers 404 for an unknown expectation',
  async (path) => {
    const acme = await expectingOrganization(api);
    const { status, json } = await acme.call('GET', `/expectations/ORG${path}`);
    const message = `Expectation '${NAME}' does not exist in organization '${acme.org}'`;
    expect([status, json]).toEqual([404, { message }]);
  },
);

describe('the list of expectations', () => {
  it('goes on by cursors, in the order of names, with archived ones', async () => {
    const acme = await expectingOrganization(api);
    for (const name of ['c', 'a', 'b', 'a.b']) await acme.put({ name });
    await acme.archive('b');
    const names: string[] = [];
    let query = 'per_page=2';
    for (;;) {
      const { expectations, next_cursor: next } = (await acme.list(query)).json as {
        expectations: { name: string }[];
        next_cursor: string | null;
      };
      names.push(...expectations.map(({ name }) => name));
      if (next === null) break;
      query = `per_page=2&cursor=${next}`;
    }
    expect(names).toEqual(['a', 'a.b', 'b', 'c']);
  });

  it('counts the environments of each by state if asked, of names and of tags, and says what is due next', async () => {
    const acme = await expectingOrganization(api);
    for (const name of ['stage', 'test']) await acme.make(name);
    for (const name of ['prod', 'stage']) await acme.tag(name, { tier: '1' });
    await acme.put({ name: 'named', scope: { environments: ['prod', 'test'] }, grace: 'PT5M', starts_at: 0 });
    await acme.put({ name: 'tagged', scope: { tags: { tier: '1' } }, every: 'P1D' });
    await acme.put({ name: 'gone' });
    await acme.archive('gone');
    api.services.clock.advance(60 * MINUTE);
    await acme.report('prod');
    const none = { met: 0, late: 0, missed: 0, unknown: 0 };
    const { expectations } = (await acme.list('include=counts')).json as {
      expectations: { next_due_at: number | null }[];
    };
    expect(expectations).toMatchObject([
      { name: 'gone', counts: none, next_due_at: null },
      { name: 'named', counts: { ...none, met: 1, missed: 1 } },
      { name: 'tagged', counts: { ...none, met: 2 } },
    ]);
    const { subjects } = (await acme.subjects('state=met', 'named')).json as { subjects: { due_at: number }[] };
    expect(expectations[1]?.next_due_at).toBe(subjects[0]?.due_at);
    expect((await acme.list()).json).not.toHaveProperty('expectations[0].counts');
    expect((await acme.list('include=all')).status).toBe(400);
  });

  it('refuses a cursor of another list', async () => {
    const acme = await expectingOrganization(api);
    const other = await expectingOrganization(api);
    for (const name of ['a', 'b']) await other.put({ name });
    const { next_cursor: cursor } = (await other.list('per_page=1')).json as { next_cursor: string };
    const { status, json } = await acme.list(`cursor=${cursor}`);
    const error = expect.stringContaining('Input should be the next_cursor of a page');
    expect([status, json]).toMatchObject([400, { errors: { 'query.cursor': error } }]);
  });

  it('shows a placeholder for a record that cannot be read', async () => {
    const acme = await expectingOrganization(api);
    await acme.put({ name: 'a' });
    await acme.put({ name: 'b' });
    const { table } = api.services;
    await table.put({ ...expectationKey(acme.id, 'a'), broken: true });
    await table.put({ ...expectationVersionKey(acme.id, 'b', 1), broken: true });
    expect((await acme.list()).json).toMatchObject({
      expectations: [{ name: 'a', unreadable: true }, { name: 'b' }],
    });
    expect((await acme.versions('', 'b')).json).toMatchObject({
      versions: [{ name: 'b', version: 1, unreadable: true }],
    });
  });
});

describe('the versions of an expectation', () => {
  it('come in pages, the newest first', async () => {
    const acme = await expectingOrganization(api);
    for (const owner of ['a', 'b', 'c']) await acme.put({ owner });
    const numbers = async (query: string) =>
      ((await acme.versions(query)).json as { versions: { version: number }[] }).versions.map((one) => one.version);
    expect(await numbers('per_page=2')).toEqual([3, 2]);
    expect(await numbers('per_page=2&page=2')).toEqual([1]);
    expect(await numbers('per_page=2&page=3')).toEqual([]);
  });
});

describe('the environments of an expectation', () => {
  it('are met, late and missed as time passes, and met again with a report that changes nothing', async () => {
    const acme = await expectingOrganization(api);
    await acme.put({ grace: 'PT5M' });
    const state = async () => {
      const { subjects } = (await acme.subjects()).json as { subjects: { state: string }[] };
      return subjects.map((subject) => subject.state);
    };
    await acme.report('prod');
    const states = [await state()];
    for (const minutes of [21, 5]) {
      api.services.clock.advance(minutes * MINUTE);
      states.push(await state());
    }
    await acme.report('prod');
    states.push(await state());
    expect(states).toEqual([['met'], ['late'], ['missed'], ['met']]);
  });

  it('say when they reported and when the next report is due', async () => {
    const acme = await expectingOrganization(api);
    await acme.put({ every: 'PT20M', grace: 'PT5M', starts_at: 0 });
    await acme.report('prod');
    const { subjects } = (await acme.subjects()).json as {
      subjects: { environment: string; last_reported_at: number; due_at: number }[];
    };
    const [prod] = subjects;
    expect(prod).toMatchObject({ environment: 'prod' });
    expect((prod?.due_at ?? 0) - (prod?.last_reported_at ?? 0)).toBeCloseTo(25 * 60, 3);
  });

  it('follow the tags, and leave with the archive; logical environments are none', async () => {
    const acme = await expectingOrganization(api);
    for (const name of ['stage', 'test']) await acme.make(name);
    await acme.make('all', 'logical');
    for (const name of ['prod', 'stage', 'all']) await acme.tag(name, { tier: '1', team: 'web' });
    await acme.tag('test', { tier: '2', team: 'web' });
    await acme.put({ scope: { tags: { tier: '1', team: 'web' } } });
    const names = async (query = '') =>
      ((await acme.subjects(query)).json as { subjects: { environment: string }[] }).subjects.map(
        ({ environment }) => environment,
      );
    expect(await names()).toEqual(['prod', 'stage']);
    await acme.tag('test', { tier: '1' });
    expect(await names()).toEqual(['prod', 'stage', 'test']);
    await acme.send('PUT', '/environments/ORG/stage/archive', null);
    expect(await names()).toEqual(['prod', 'test']);
    expect(await names('state=missed')).toEqual([]);
  });

  it('come in pages with counts of all, and by state', async () => {
    const acme = await expectingOrganization(api);
    for (const name of ['a', 'b', 'c']) await acme.make(name);
    await acme.put({ scope: { environments: ['c', 'b', 'a'] } });
    api.services.clock.advance(60 * MINUTE);
    await acme.report('b');
    const first = (await acme.subjects('per_page=1&state=missed')).json as { next_cursor: string };
    const counts = { met: 1, late: 0, missed: 2, unknown: 0 };
    expect(first).toMatchObject({ subjects: [{ environment: 'a', last_reported_at: null }], counts });
    const second = (await acme.subjects(`per_page=1&state=missed&cursor=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ subjects: [{ environment: 'c' }], counts, next_cursor: null });
    expect((await acme.subjects('state=met')).json).toMatchObject({ subjects: [{ environment: 'b' }] });
    const refused = await acme.subjects('state=silent');
    expect([refused.status, refused.json]).toMatchObject([
      400,
      { errors: { 'query.state': expect.stringContaining("'met', 'late', 'missed' or 'unknown'") } },
    ]);
  });

  it('are unknown if the entry of the environment cannot be read', async () => {
    const acme = await expectingOrganization(api);
    await acme.put();
    const { table } = api.services;
    const [entry] = await table.query({ pk: cataloguePartition(acme.id, ENVIRONMENTS.name) });
    if (!entry) throw new Error('The environment has no entry');
    await table.put({ ...entry, r: 'broken' });
    expect((await acme.subjects()).json).toMatchObject({
      subjects: [{ environment: 'prod', state: 'unknown', last_reported_at: null, due_at: null }],
      counts: { unknown: 1 },
    });
  });
});
