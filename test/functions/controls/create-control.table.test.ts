import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { controlsApi, newOrganization, refusal } from './controls-api.ts';

const api = await controlsApi();

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('POST /controls/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/controls/${org}`,
    request: { json: { identifier: 'SDLC-1', name: 'Review' } },
    needs: 'admin',
  });

  it('is forbidden while the feature is off', async () => {
    const { name, keys } = await organizationWith(api.services, ['admin'], []);
    const answer = await api.call('POST', `/controls/${name}`, { key: keys.admin, json: {} });
    expect(refusal(answer)).toEqual([403, { message: 'Forbidden' }]);
  });

  it('creates version 1, which reads back as it was sent', async () => {
    const acme = await newOrganization(api);
    const links = { 'wiki.page': 'https://wiki.example/sdlc-1', constructor: 'https://wiki.example/c' };
    const made = await acme.create({ identifier: 'SDLC-1.~_', name: 'Review', description: 'By two', links });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      identifier: 'SDLC-1.~_',
      name: 'Review',
      description: 'By two',
      links,
      version: 1,
      archived: false,
      tags: {},
      created_by: `${acme.org}-admin`,
      created_at: expect.any(Number),
      html_url: `https://api.example/${acme.org}/controls/SDLC-1.~_`,
    });
    expect((await acme.get('SDLC-1.~_')).json).toEqual({ ...(made.json as object), policies_referencing: [] });
    expect((await acme.version('SDLC-1.~_', 1)).json).toMatchObject({ status: 'created', version: 1, links });
  });

  it('has no description and no links if none were sent', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'n', description: null, links: null });
    expect((await acme.get('A')).json).toMatchObject({ description: null, links: {} });
    expect((await acme.version('A', 1)).json).toMatchObject({ description: '', links: {} });
  });

  it.each([
    [
      { identifier: 'bad identifier' },
      'identifier',
      "String should match pattern '^[a-zA-Z0-9\\-._~]+$' [input: bad identifier]",
    ],
    [{ identifier: undefined }, 'identifier', 'Field required [input: None]'],
    [{ identifier: 'a'.repeat(257) }, 'identifier', expect.stringContaining('at most 256 characters')],
    [{ name: '' }, 'name', expect.stringContaining('at least 1 character')],
    [{ name: undefined }, 'name', 'Field required [input: None]'],
    [{ name: 'n'.repeat(256) }, 'name', expect.stringContaining('at most 255 characters')],
    [{ description: 3 }, 'description', 'Input should be a valid string [input: 3]'],
    [{ links: ['x'] }, 'links', expect.stringContaining('Input should be a valid dictionary')],
    [{ links: { a: 'no address' } }, 'links.a', expect.stringContaining('valid URL')],
    [{ links: { a: 'javascript:alert(1)' } }, 'links.a', expect.stringContaining('valid URL')],
    [{ owner: 'me' }, 'owner', 'Extra inputs are not permitted [input: me]'],
  ])('refuses %j', async (fields, field, text) => {
    const answer = await refusing.create({ identifier: 'A', name: 'n', ...fields });
    expect(refusal(answer)).toEqual([400, { message: 'Input payload validation failed', errors: { [field]: text } }]);
    expect((await refusing.list()).json).toMatchObject({ total_count: 0 });
  });

  it('refuses a taken identifier, also that of an archived control', async () => {
    const acme = await newOrganization(api);
    await acme.create({ identifier: 'A', name: 'n' });
    const taken = [409, { message: `A control with identifier 'A' already exists in organization '${acme.org}'` }];
    expect(refusal(await acme.create({ identifier: 'A', name: 'other' }))).toEqual(taken);
    await acme.archive('A');
    expect(refusal(await acme.create({ identifier: 'A', name: 'other' }))).toEqual(taken);
    expect((await acme.get('A')).json).toMatchObject({ name: 'n', version: 2 });
  });

  it('gives an identifier to one of several requests at the same time', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => acme.create({ identifier: 'A', name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 201)?.json;
    expect((await acme.get('A')).json).toMatchObject({ name: (winner as { name: string }).name, version: 1 });
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const headers = { 'idempotency-key': uniqueName('once') };
    const first = await acme.create({ identifier: 'A', name: 'n' }, { headers });
    expect(refusal(await acme.create({ identifier: 'A', name: 'n' }, { headers }))).toEqual([201, first.json]);
    expect((await acme.create({ identifier: 'B', name: 'n' }, { headers })).status).toBe(400);
  });
});
