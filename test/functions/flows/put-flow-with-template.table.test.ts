import { describe, expect, it } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { badName, flowsApi, flowUnknown, HOSTILE_NAMES, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();
const refusing = await newOrganization(api);
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review   # kept\n      type: "*"\n';

describe('PUT /flows/{org}/template_file', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/flows/${org}/template_file`,
    request: { form: { fields: { data_json: '{"name":"web"}' } } },
    needs: 'member',
  });

  it('creates a flow with 201 and stores the template byte for byte', async () => {
    const acme = await newOrganization(api);
    const answer = await acme.putForm({ name: 'web', description: '[]', visibility: 'public' }, TEMPLATE);
    expect(refusal(answer)).toEqual([201, 'OK']);
    expect(await acme.read('web')).toMatchObject({
      name: 'web',
      description: '[]',
      visibility: 'public',
      template: TEMPLATE,
      tags: {},
      latest_activity_at: null,
      latest_state: null,
      last_deployment_at: null,
      archived: false,
    });
  });

  it('updates with 200, and leaves absent fields unchanged', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web', description: 'first', visibility: 'public' }, TEMPLATE);
    expect((await acme.putForm({ name: 'web', description: 'second' })).status).toBe(200);
    expect(await acme.read('web')).toMatchObject({
      description: 'second',
      visibility: 'public',
      template: TEMPLATE,
    });
    expect((await acme.putForm({ name: 'web', description: null }, 'version: 1')).status).toBe(200);
    expect(await acme.read('web')).toMatchObject({ description: 'second', template: 'version: 1' });
    expect((await acme.putForm({ name: 'web', description: '' }, '')).status).toBe(200);
    expect(await acme.read('web')).toMatchObject({ description: '', template: 'version: 1' });
  });

  it('stores the empty template for a new flow without a template file', async () => {
    const acme = await newOrganization(api);
    expect((await acme.putForm({ name: 'web' })).status).toBe(201);
    expect(await acme.read('web')).toMatchObject({ template: 'version: 1', description: '', visibility: 'private' });
  });

  it('writes nothing if nothing changes', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web', description: 'd' }, TEMPLATE);
    const id = String((await acme.read('web'))['id']);
    const organization = await api.services.table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
    const head = () => api.services.table.get(storedKey(`${organization?.['id']}#FLOW#${id}`, 'HEAD'));
    const before = await head();
    expect(before?.['rev']).toBe(1);
    expect((await acme.putForm({ name: 'web', description: 'd' }, TEMPLATE)).status).toBe(200);
    expect(await head()).toEqual(before);
  });

  it('stores a template that is too large for an item of the table', async () => {
    const acme = await newOrganization(api);
    const slots = Array.from({ length: 3000 }, (_, i) => `  - {name: "n${i}x${(i * 7919) % 104729}", type: generic}`);
    const template = `trail:\n  attestations:\n${slots.join('\n')}\n# ${'é'.repeat(1000)}`;
    expect((await acme.putForm({ name: 'large' }, template)).status).toBe(201);
    expect((await acme.read('large')).template).toBe(template);
    expect(await acme.names('page=1')).toEqual(['large']);
  });

  it.each([
    ['an unknown key', 'version: 1\nextra: 1'],
    ['an unknown key in a slot', 'trail:\n  attestations:\n    - {name: a, type: generic, extra: 1}'],
    ['an unknown type', 'trail:\n  attestations:\n    - {name: a, type: nonsense}'],
    ['an empty attestation name', 'trail:\n  attestations:\n    - {name: "", type: generic}'],
    ['a repeated name', 'trail:\n  attestations:\n    - {name: a, type: generic}\n    - {name: a, type: junit}'],
    ['another version', 'version: 2'],
    ['broken YAML', 'trail: [unclosed'],
    ['aliases', 'a: &a [x]\nb: *a'],
    [
      'aliases that multiply',
      `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]`).join('\n')}`,
    ],
    ['deep nesting', `trail: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['a key of prototypes', '__proto__: {trail: {}}'],
    ['a list', '- a'],
  ])('refuses a template with %s', async (_, template) => {
    const answer = await refusing.putForm({ name: 'web' }, template);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      message: 'Input payload validation failed',
      errors: { template_file: expect.stringMatching(/validation errors for Template\n./) },
    });
    expect((await refusing.get('web')).status).toBe(404);
  });

  it('refuses a template that is not UTF-8, or larger than 1 MB', async () => {
    const acme = await newOrganization(api);
    const latin = await acme.putForm({ name: 'web' }, new Uint8Array([0x23, 0xe9, 0x0a]));
    expect(refusal(latin)).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { template_file: 'The text is not UTF-8' } },
    ]);
    const large = await acme.putForm({ name: 'web' }, `#${'x'.repeat(1024 * 1024)}`);
    expect(large).toMatchObject({
      status: 400,
      json: { errors: { template_file: 'The file is larger than 1048576 bytes' } },
    });
    expect((await acme.get('web')).status).toBe(404);
  });

  it.each(HOSTILE_NAMES)('refuses the name %j and quotes it', async (name) => {
    const answer = await refusing.putForm({ name });
    expect(refusal(answer)).toEqual([
      400,
      { message: 'Input payload validation failed', errors: { name: badName(name) } },
    ]);
  });

  it('names all wrong fields in one answer', async () => {
    const acme = await newOrganization(api);
    const answer = await acme.putForm({ description: 7, visibility: 'secret' });
    expect(refusal(answer)).toEqual([
      400,
      {
        message: 'Input payload validation failed',
        errors: {
          name: 'Field required [input: None]',
          description: 'Input should be a valid string [input: 7]',
          visibility: "Input should be 'public' or 'private' [input: secret]",
        },
      },
    ]);
  });

  it('refuses a name that is too long for a key', async () => {
    const acme = await newOrganization(api);
    expect((await acme.putForm({ name: 'n'.repeat(255) })).status).toBe(201);
    const answer = await acme.putForm({ name: 'n'.repeat(10_000) });
    expect(answer).toMatchObject({
      status: 400,
      json: { errors: { name: expect.stringContaining('at most 255 characters') } },
    });
    expect(answer.text.length).toBeLessThan(1000);
  });

  it('refuses a plain JSON body, and a form without data_json', async () => {
    const acme = await newOrganization(api);
    const path = `/flows/${acme.org}/template_file`;
    const required = [
      400,
      { message: 'Input payload validation failed', errors: { data_json: 'Field required [input: None]' } },
    ];
    expect(refusal(await acme.call('PUT', path, { json: { name: 'web' } }))).toEqual(required);
    expect(refusal(await acme.call('PUT', path, { form: { files: { template_file: 'version: 1' } } }))).toEqual(
      required,
    );
  });

  it('ignores unknown fields', async () => {
    const acme = await newOrganization(api);
    expect((await acme.putForm({ name: 'web', newer: { field: 1 }, __proto__: { name: 'x' } })).status).toBe(201);
  });

  it('creates one flow if many requests run at the same time', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => acme.putForm({ name: 'web', description: `d${i}` }, TEMPLATE)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(await acme.names()).toEqual(['web']);
  });

  it('keeps both changes if two requests change different fields at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web', description: 'old' });
    const answers = await Promise.all([
      acme.putForm({ name: 'web', description: 'new' }),
      acme.putForm({ name: 'web', visibility: 'public' }),
      acme.putForm({ name: 'web' }, TEMPLATE),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await acme.read('web')).toMatchObject({ description: 'new', visibility: 'public', template: TEMPLATE });
  });

  it('answers 404 for the long name of an archived flow', async () => {
    const acme = await newOrganization(api);
    await acme.putForm({ name: 'web' });
    const long = await acme.archivedAs('web');
    expect(refusal(await acme.putForm({ name: long }))).toEqual(flowUnknown(long, acme.org));
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const send = (name: string) =>
      acme.call('PUT', `/flows/${acme.org}/template_file`, {
        form: { fields: { data_json: JSON.stringify({ name }) }, files: { template_file: TEMPLATE } },
        headers: { 'idempotency-key': 'once' },
      });
    expect((await send('web')).status).toBe(201);
    expect((await send('web')).status).toBe(201);
    expect((await send('other')).status).toBe(400);
    expect(await acme.names()).toEqual(['web']);
  });
});
