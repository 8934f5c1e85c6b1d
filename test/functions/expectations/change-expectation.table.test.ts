import { describe, expect, it } from 'vitest';
import { expectationKey } from '#shared/expectations/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { refused } from '#test/support/admin.ts';
import { expectationsApi, expectingOrganization, REPORTS } from './expectations-api.ts';

const api = await expectationsApi();
/** One organization for requests that are refused: none of them changes a record. */
const refusing = await expectingOrganization(api);
await refusing.make('all', 'logical');
await refusing.make('gone');
await refusing.send('PUT', '/environments/ORG/gone/archive', null);
const other = await expectingOrganization(api);
await other.make('theirs');

describe('PUT /expectations/{org}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/expectations/${org}`,
    request: { json: { ...REPORTS, scope: { tags: { tier: '1' } } } },
    needs: 'member',
  });

  it('creates version 1 with all that is absent, which reads back', async () => {
    const acme = await expectingOrganization(api);
    const made = await acme.put();
    expect(made.status, made.text).toBe(201);
    expect(made.json).toEqual({
      ...REPORTS,
      grace: 'PT2M',
      due_soon: null,
      starts_at: expect.any(Number),
      owner: null,
      severity: 'warning',
      archived: false,
      version: 1,
      created_at: expect.any(Number),
      created_by: `${acme.org}-admin`,
      changed_at: expect.any(Number),
      changed_by: `${acme.org}-admin`,
      html_url: `https://api.example/${acme.org}/expectations/alive`,
    });
    expect((await acme.get()).json).toEqual(made.json);
  });

  it('adds a version if something differs, keeps the start, and adds none if nothing differs', async () => {
    const acme = await expectingOrganization(api);
    const first = (await acme.put({ starts_at: 1_795_000_000.5 })).json as { created_at: number };
    const same = await acme.put({ every: 'PT1200S', grace: 'PT120S', owner: null });
    expect([same.status, same.json]).toEqual([200, first]);
    const changed = await acme.put({ owner: 'team-web', severity: 'critical', grace: 'PT0S' });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { version: 2, owner: 'team-web', severity: 'critical', grace: 'PT0S', starts_at: 1_795_000_000.5 },
    ]);
    expect(changed.json).toMatchObject({ created_at: first.created_at });
    expect((await acme.versions()).json).toMatchObject({ total_count: 2, versions: [changed.json, first] });
  });

  it('follows an environment that was renamed, in which it sees no change', async () => {
    const acme = await expectingOrganization(api);
    await acme.put();
    await acme.send('PUT', '/environments/ORG/prod/rename', { new_name: 'production' });
    expect((await acme.get()).json).toMatchObject({ scope: { environments: ['production'] } });
    const both = await acme.put({ scope: { environments: ['prod', 'production'] } });
    expect([both.status, both.json]).toMatchObject([200, { version: 1 }]);
    expect((await acme.versions()).json).toMatchObject({ versions: [{ scope: { environments: ['prod'] } }] });
  });

  it('gives each of two writers a version of its own', async () => {
    const acme = await expectingOrganization(api);
    const owners = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(owners.map((owner) => acme.put({ owner })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
    const { versions } = (await acme.versions()).json as { versions: { version: number; owner: string }[] };
    expect(versions.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    expect(versions.map(({ owner }) => owner).toSorted()).toEqual(owners);
  });

  it('answers a repeated request again, with one version', async () => {
    const acme = await expectingOrganization(api);
    const once = { headers: { 'idempotency-key': 'once' } };
    const first = await acme.put({}, once);
    const second = await acme.put({}, once);
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect((await acme.versions()).json).toMatchObject({ total_count: 1 });
  });

  const RANGE = 'Should be from PT1M to P400D';
  it.each([
    [{ name: undefined }, { name: 'Field required [input: None]' }],
    [{ name: 'a b' }, { name: expect.stringContaining('String should match pattern') }],
    [{ name: 'a'.repeat(256) }, { name: expect.stringContaining('at most 255 characters') }],
    [
      { kind: 'silence' },
      { kind: "Input should be 'reports', 'evidence', 'activity', 'completion' or 'decision' [input: silence]" },
    ],
    [{ kind: undefined }, { kind: 'Field required [input: None]' }],
    [{ every: undefined }, { every: 'Field required [input: None]' }],
    [{ every: 20 }, { every: 'Input should be a valid string [input: 20]' }],
    [{ every: 'PT0S' }, { every: `${RANGE} [input: PT0S]` }],
    [{ every: 'PT59S' }, { every: `${RANGE} [input: PT59S]` }],
    [{ every: 'P401D' }, { every: `${RANGE} [input: P401D]` }],
    [{ every: '-PT1M' }, { every: 'A duration cannot be negative [input: -PT1M]' }],
    [{ every: 'P1M' }, { every: 'Months and years have no fixed length. Give days instead [input: P1M]' }],
    [{ every: '20m' }, { every: expect.stringContaining('Should be an ISO 8601 duration') }],
    [{ grace: 'P31D' }, { grace: 'Should be from PT0S to P30D [input: P31D]' }],
    [{ starts_at: -1 }, { starts_at: 'Input should be greater than or equal to 0 [input: -1]' }],
    [{ starts_at: 5e9 }, { starts_at: expect.stringContaining('less than or equal to 4102444800') }],
    [{ starts_at: 'now' }, { starts_at: expect.stringContaining('valid number') }],
    [{ owner: '' }, { owner: expect.stringContaining('at least 1 character') }],
    [{ owner: 'o'.repeat(256) }, { owner: expect.stringContaining('at most 255 characters') }],
    [{ severity: 'fatal' }, { severity: "Input should be 'info', 'warning' or 'critical' [input: fatal]" }],
    [{ due_soon: 'PT59S' }, { due_soon: `${RANGE} [input: PT59S]` }],
    [{ due_soon: 'PT22M' }, { due_soon: 'Should be shorter than every and grace together, PT22M [input: PT22M]' }],
    [{ due_soon: 'soon' }, { due_soon: expect.stringContaining('Should be an ISO 8601 duration') }],
    [{ due: 'PT1H' }, { due: 'Extra inputs are not permitted [input: PT1H]' }],
    [{ scope: undefined }, { scope: 'Field required [input: None]' }],
    [{ scope: {} }, { 'scope.environments': 'Give names of environments, or tags' }],
    [
      { scope: { environments: ['prod'], tags: { tier: '1' } } },
      { 'scope.tags': 'Give names of environments or tags, not both' },
    ],
    [{ scope: { environments: [] } }, { 'scope.environments': expect.stringContaining('at least 1 item') }],
    [
      { scope: { environments: Array.from({ length: 101 }, (_, i) => `e${i}`) } },
      { 'scope.environments': expect.stringContaining('at most 100 items') },
    ],
    [{ scope: { tags: {} } }, { 'scope.tags': expect.stringContaining('A scope should have from 1 to 20 tags') }],
    [
      { scope: { tags: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`t${i}`, ''])) } },
      { 'scope.tags': expect.stringContaining('A scope should have from 1 to 20 tags') },
    ],
    [{ scope: { tags: { tier: 1 } } }, { 'scope.tags.tier': 'Input should be a valid string [input: 1]' }],
    [{ scope: { trails: ['one'] } }, { 'scope.trails': 'Extra inputs are not permitted [input: ["one"]]' }],
    [
      { scope: { flows: ['web'] } },
      {
        'scope.flows': "Expectations of kind 'reports' are about environments",
        'scope.environments': 'Give names of environments, or tags',
      },
    ],
    [
      { scope: { environments: ['prod', 'nope', 'gone', 'all', 'theirs'] } },
      {
        'scope.environments[1]': 'There is no such environment [input: nope]',
        'scope.environments[2]': 'The environment is archived [input: gone]',
        'scope.environments[3]': 'A logical environment takes no reports. Name its members [input: all]',
        'scope.environments[4]': 'There is no such environment [input: theirs]',
      },
    ],
  ])('refuses %j', async (fields, errors) => {
    const answer = await refusing.put(fields);
    expect([answer.status, answer.json]).toMatchObject(refused(errors));
    expect((await refusing.list()).json).toMatchObject({ expectations: [] });
  });

  it('refuses the 1001st expectation, and still changes one of the thousand', async () => {
    const acme = await expectingOrganization(api);
    await acme.put();
    const { table } = api.services;
    const stored = await table.get(expectationKey(acme.id, REPORTS.name));
    const names = Array.from({ length: 999 }, (_, i) => `copy-${i}`);
    await table.putMany(names.map((name) => ({ ...stored, ...expectationKey(acme.id, name), name })));
    const answer = await acme.put({ name: 'more' });
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        message:
          'The organization has 1000 expectations, and at most 1000 are possible. Archived ones count. Change one of them instead',
      },
    ]);
    expect((await acme.put({ owner: 'me' })).status).toBe(200);
  });
});

describe('POST /expectations/{org}/{name}/archive', () => {
  describeAccess(api, { method: 'POST', path: (org) => `/expectations/${org}/none/archive`, needs: 'member' });

  it('adds an archived version once, and the next save makes it active again', async () => {
    const acme = await expectingOrganization(api);
    await acme.put();
    const archived = await acme.archive();
    expect([archived.status, archived.json]).toMatchObject([200, { archived: true, version: 2 }]);
    expect((await acme.archive()).json).toEqual(archived.json);
    expect((await acme.subjects()).json).toMatchObject({ subjects: [], counts: { met: 0, late: 0, missed: 0 } });
    const again = await acme.put();
    expect([again.status, again.json]).toMatchObject([200, { archived: false, version: 3 }]);
  });

  it('answers 404 for an unknown expectation, whatever its name looks like', async () => {
    for (const name of ['nope', 'a b', 'a#b']) {
      const { status, json } = await refusing.archive(name);
      const message = `Expectation '${name}' does not exist in organization '${refusing.org}'`;
      expect([status, json]).toEqual([404, { message }]);
    }
  });
});

describe('the audit log', () => {
  it('has an entry for each version', async () => {
    const acme = await expectingOrganization(api);
    await acme.put();
    await acme.put({ owner: 'me' });
    await acme.put({ owner: 'me' });
    await acme.archive();
    const { json } = await acme.call('GET', '/audit/ORG', { query: 'kind=expectation' });
    expect(json).toMatchObject({
      entries: [
        { kind: 'expectation.archived', before: { archived: false }, after: { archived: true, version: 3 } },
        { kind: 'expectation.changed', before: { owner: null, version: 1 }, after: { owner: 'me', version: 2 } },
        {
          kind: 'expectation.created',
          subject: { type: 'expectation', name: 'alive' },
          before: null,
          after: { every: 'PT20M', scope: { environments: ['prod'] } },
        },
      ],
    });
  });
});
