import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '#shared/base/ids.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { testId } from '#test/support/ids.ts';
import { badName, flowsApi, flowUnknown, HOSTILE_NAMES, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();
const refusing = await newOrganization(api);

describe('PUT /flows/{org}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/flows/${org}`,
    request: { json: { name: 'web' } },
    needs: 'member',
  });

  it('creates with 201, updates with 200, and shows the list of names unchanged', async () => {
    const acme = await newOrganization(api);
    const given = { name: 'web', description: 'd', visibility: 'public', template: ['artifact', 'unit-test'] };
    expect(refusal(await acme.put(given))).toEqual([201, 'OK']);
    expect(await acme.read('web')).toMatchObject(given);
    expect(refusal(await acme.put({ ...given, template: ['artifact'] }))).toEqual([200, 'OK']);
    expect(await acme.read('web')).toMatchObject({ ...given, template: ['artifact'] });
  });

  it('makes a slot of any type for each name except artifact', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', template: ['artifact', 'unit-test', 'scan'] });
    const { table, objects } = api.services;
    const organization = await table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
    const org = testId<OrganizationId>(String(organization?.['id']));
    const { id } = await acme.read('web');
    const head = await table.get(storedKey(`${org}#FLOW#${id}`, 'HEAD'));
    const template = await loadTemplate(table, objects, org, String(head?.['template']));
    expect(template.trail.artifacts.flatMap(({ attestations }) => attestations)).toEqual([
      { name: 'unit-test', type: '*' },
      { name: 'scan', type: '*' },
    ]);
  });

  it('keeps the template if the request has none, and stores an empty list as the empty template', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web' }, 'version: 1');
    await acme.put({ name: 'web', template: null });
    expect((await acme.read('web')).template).toBe('version: 1');
    expect((await acme.put({ name: 'web', template: [] })).status).toBe(200);
    expect((await acme.read('web')).template).toEqual([]);
  });

  it('creates a flow from a name alone', async () => {
    const acme = await newOrganization(api);
    expect((await acme.put({ name: 'a.b-c_d~e' })).status).toBe(201);
    expect(await acme.read('a.b-c_d~e')).toMatchObject({
      description: '',
      visibility: 'private',
      template: 'version: 1',
    });
  });

  it.each(HOSTILE_NAMES)('refuses the name %j and quotes it', async (name) => {
    expect(refusal(await refusing.put({ name }))).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { name: badName(name) } },
    ]);
  });

  it('names all wrong fields in one answer', async () => {
    const answer = await refusing.put({ name: 7, description: {}, visibility: 'PUBLIC', template: ['a', '', 3] });
    expect(refusal(answer)).toEqual([
      400,
      {
        message: 'Input payload validation failed',
        errors: {
          name: 'Input should be a valid string [input: 7]',
          description: 'Input should be a valid string [input: {}]',
          visibility: "Input should be 'public' or 'private' [input: PUBLIC]",
          'template[1]': 'String should have at least 1 character [input: ]',
          'template[2]': 'Input should be a valid string [input: 3]',
        },
      },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['null', 'null'],
  ])('refuses %s as a body', async (_, text) => {
    const answer = await refusing.call('PUT', `/flows/${refusing.org}`, { text });
    expect(refusal(answer)).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { payload: 'Field required [input: None]' } },
    ]);
  });

  it.each([
    ['an array', '[]'],
    ['broken JSON', '{"name":'],
    ['a text', '"web"'],
  ])('refuses %s as a body', async (_, text) => {
    const answer = await refusing.call('PUT', `/flows/${refusing.org}`, { text });
    expect(answer).toMatchObject({ status: 400, json: { errors: { payload: expect.any(String) } } });
  });

  it('takes over a former name of another flow, which keeps its present name', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'old', description: 'first' });
    await acme.rename('old', 'new');
    expect((await acme.put({ name: 'old', description: 'second' })).status).toBe(201);
    expect(await acme.read('old')).toMatchObject({ name: 'old', description: 'second' });
    expect(await acme.read('new')).toMatchObject({ name: 'new', description: 'first' });
    expect(await acme.names()).toEqual(['new', 'old']);
  });

  it('creates a new flow under the old name of an archived flow, and refuses the long name', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', description: 'first' });
    const long = await acme.archivedAs('web');
    expect((await acme.put({ name: 'web' })).status).toBe(201);
    expect((await acme.read('web')).description).toBe('');
    expect(refusal(await acme.put({ name: long }))).toEqual(flowUnknown(long, acme.org));
    expect((await acme.read(long)).description).toBe('first');
  });

  it('does not show flows of another organization', async () => {
    const [one, other] = [await newOrganization(api), await newOrganization(api)];
    await one.put({ name: 'web', description: 'mine' });
    expect((await other.get('web')).status).toBe(404);
    expect((await other.put({ name: 'web', description: 'theirs' })).status).toBe(201);
    expect((await one.read('web')).description).toBe('mine');
  });
});
