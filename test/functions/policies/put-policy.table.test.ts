import { describe, expect, it } from 'vitest';
import { MOST_CONTROLS } from '#shared/policies/rules/policy.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  forControls,
  newOrganization,
  PLAIN,
  policiesApi,
  policyUnknown,
  refusal,
  refused,
  STRICT,
  withRules,
} from './policies-api.ts';

const api = await policiesApi();
const refusing = await newOrganization(api);
const TIME = expect.any(Number);
const TEXT = expect.any(String);
const TOO_LONG = expect.stringContaining('at most 10000 characters');

describe('PUT /policies/{org}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/policies/${org}`,
    request: { form: { fields: { payload: '{"name":"prod"}' }, files: { policy_file: PLAIN } } },
    needs: 'member',
  });

  it('creates a policy and returns its text unchanged', async () => {
    const acme = await newOrganization(api);
    const payload = { name: 'Prod.1-a_b', description: 'd', comment: 'first', type: 'env' };
    expect(refusal(await acme.put(payload, STRICT))).toEqual([201, 'OK']);
    const by = `${acme.org}-admin`;
    expect((await acme.get('Prod.1-a_b')).json).toStrictEqual({
      name: 'Prod.1-a_b',
      description: 'd',
      created_at: TIME,
      created_by: by,
      consuming_envs: [],
      versions: [{ version: 1, policy_yaml: STRICT, comment: 'first', timestamp: TIME, created_by: by }],
      html_url: `https://api.example/${acme.org}/policies/Prod.1-a_b`,
    });
  });

  it('treats null like an absent field, and ignores unknown fields', async () => {
    const acme = await newOrganization(api);
    expect((await acme.put({ name: 'a', description: null, comment: null, type: null, more: 1 }, PLAIN)).status).toBe(
      201,
    );
    expect(await acme.read('a')).toMatchObject({ description: '', versions: [{ comment: '' }] });
  });

  it('accepts the file as a text field, with the line ends that forms give to text', async () => {
    const acme = await newOrganization(api);
    const fields = { payload: '{"name":"a"}', policy_file: PLAIN };
    expect((await acme.call('PUT', `/policies/${acme.org}`, { form: { fields } })).status).toBe(201);
    expect((await acme.read('a')).versions).toMatchObject([{ policy_yaml: PLAIN.replaceAll('\n', '\r\n') }]);
  });

  it('adds a version for another text, oldest first, and does not change earlier versions', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'a', description: 'd', comment: 'one' }, PLAIN);
    const [first] = (await acme.read('a')).versions;
    expect(refusal(await acme.put({ name: 'a', comment: 'two' }, STRICT))).toEqual([200, 'OK']);
    await acme.put({ name: 'a' }, PLAIN);
    const { description, versions } = await acme.read('a');
    expect(description).toBe('d');
    expect(versions[0]).toEqual(first);
    expect(versions.map(({ version, policy_yaml, comment }) => [version, policy_yaml, comment])).toEqual([
      [1, PLAIN, 'one'],
      [2, STRICT, 'two'],
      [3, PLAIN, ''],
    ]);
  });

  it('adds no version for the same text: only the description is updated, and the comment is ignored', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'a', description: 'd', comment: 'one' }, PLAIN);
    const before = await acme.read('a');
    expect(refusal(await acme.put({ name: 'a', comment: 'two' }, PLAIN))).toEqual([200, 'OK']);
    expect(await acme.read('a')).toEqual(before);
    expect(refusal(await acme.put({ name: 'a', description: 'other' }, PLAIN))).toEqual([200, 'OK']);
    expect(await acme.read('a')).toEqual({ ...before, description: 'other' });
    await acme.put({ name: 'a', description: '' }, PLAIN);
    expect(await acme.read('a')).toEqual({ ...before, description: '' });
  });

  it('stores a text that is too large for the table', async () => {
    const acme = await newOrganization(api);
    const noise = Array.from({ length: 20_000 }, (_, i) => `# ${Math.sin(i)}\n`).join('');
    const large = `${PLAIN}${noise}`;
    expect((await acme.put({ name: 'a' }, PLAIN)).status).toBe(201);
    expect((await acme.put({ name: 'a' }, large)).status).toBe(200);
    expect((await acme.read('a')).versions.map(({ policy_yaml }) => policy_yaml)).toEqual([PLAIN, large]);
  });

  it('lists the policies whose newest version names a control', async () => {
    const acme = await newOrganization(api);
    await acme.newControls(['C1', 'C2', 'C3']);
    await acme.put({ name: 'a' }, forControls('C1', 'C2', 'C1'));
    await acme.put({ name: 'b' }, forControls('C2'));
    const [a, b] = [await acme.policyId('a'), await acme.policyId('b')];
    expect(await acme.policiesNaming('C1')).toEqual([a]);
    expect(await acme.policiesNaming('C2')).toEqual([a, b].toSorted());
    await acme.put({ name: 'a' }, forControls('C2', 'C3'));
    expect(await acme.policiesNaming('C1')).toEqual([]);
    expect(await acme.policiesNaming('C2')).toEqual([a, b].toSorted());
    expect(await acme.policiesNaming('C3')).toEqual([a]);
    await acme.put({ name: 'a' }, PLAIN);
    expect(await acme.policiesNaming('C3')).toEqual([]);
  });

  it('refuses unknown controls, each at the place that names it', async () => {
    const acme = await newOrganization(api);
    await acme.newControls(['C1']);
    const unknown = (control: string) => `Control '${control}' does not exist in organization '${acme.org}'`;
    expect(refusal(await acme.put({ name: 'a' }, forControls('C1', 'C2', 'C2', 'C3')))).toEqual(
      refused({
        'artifacts.attestations[1].for_control': unknown('C2'),
        'artifacts.attestations[3].for_control': unknown('C3'),
      }),
    );
    expect(refusal(await acme.get('a'))).toEqual(policyUnknown('a', acme.org));
  });

  it('replaces the most controls that a policy may name by as many others, and refuses more', async () => {
    const acme = await newOrganization(api);
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const [some, others] = [names('A', MOST_CONTROLS), names('B', MOST_CONTROLS)];
    await acme.newControls([...some, ...others]);
    expect((await acme.put({ name: 'a' }, forControls(...some))).status).toBe(201);
    const padded = `${forControls(...others)}${Array.from({ length: 20_000 }, (_, i) => `# ${Math.cos(i)}\n`).join('')}`;
    expect((await acme.put({ name: 'a' }, padded, { 'idempotency-key': 'once' })).status).toBe(200);
    expect(await acme.policiesNaming('A0')).toEqual([]);
    expect(await acme.policiesNaming(`B${MOST_CONTROLS - 1}`)).toEqual([await acme.policyId('a')]);
    expect(refusal(await acme.put({ name: 'a' }, forControls(...some, 'C')))).toEqual(
      refused({
        [`artifacts.attestations[${MOST_CONTROLS}].for_control`]: `A policy should name at most ${MOST_CONTROLS} different controls [input: C]`,
      }),
    );
  });

  it('creates one policy for parallel requests, and numbers its versions without gaps', async () => {
    const acme = await newOrganization(api);
    const texts = Array.from({ length: 8 }, (_, i) => `${PLAIN}# ${i}\n`);
    const answers = await Promise.all(texts.map((text) => acme.put({ name: 'a' }, text)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...texts.slice(1).map(() => 200), 201]);
    const { versions } = await acme.read('a');
    expect(versions.map(({ version }) => version)).toEqual(texts.map((_, i) => i + 1));
    expect(versions.map(({ policy_yaml }) => policy_yaml).toSorted()).toEqual(texts);
    const times = versions.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(((await acme.list()).json as unknown[]).length).toBe(1);
  });

  it('creates one version if the same text comes twice at once', async () => {
    const acme = await newOrganization(api);
    await Promise.all([1, 2, 3].map(() => acme.put({ name: 'a' }, PLAIN)));
    expect((await acme.read('a')).versions.length).toBe(1);
  });

  it.each(['foo bar', '', '-a', '_a', 'a#b', 'a/b', 'a~b', '..', 'größe', 'a\u0000b'])(
    'refuses the name %j',
    async (name) => {
      const pattern = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`;
      expect(refusal(await refusing.put({ name }, PLAIN))).toEqual(
        refused({ name: `String should match pattern '${pattern}' [input: ${name}]` }),
      );
    },
  );

  it('refuses every wrong field of the payload at once', async () => {
    const answer = await refusing.put(
      { description: 7, comment: 'c'.repeat(10_001), type: 'flow', name: 'n'.repeat(256) },
      PLAIN,
    );
    expect(refusal(answer)).toEqual(
      refused({
        name: expect.stringContaining('at most 255 characters'),
        description: 'Input should be a valid string [input: 7]',
        comment: TOO_LONG,
        type: expect.stringContaining("'env' [input: flow]"),
      }),
    );
    expect(refusal(await refusing.put({ name: 'a', description: 'd'.repeat(10_001) }, PLAIN))).toEqual(
      refused({ description: TOO_LONG }),
    );
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['broken YAML', 'a: [', { policy_file: TEXT }],
    ['nothing', '', { policy_file: TEXT }],
    ['a list', '[]', { policy_file: TEXT }],
    ['no schema', 'artifacts: {}', { _schema: 'Field required [input: None]' }],
    ['another version', '_schema: https://a.example/schemas/policy/v2', { _schema: TEXT }],
    ['an unknown key', `${PLAIN}more: 1\n`, { more: 'Extra inputs are not permitted [input: 1]' }],
    [
      'several wrong rules',
      withRules({ type: 'pull-request' }, { type: '*' }, { type: 'junit', if: 'flow.name ==', for_control: 'C1' }),
      {
        'artifacts.attestations[0].type': expect.stringContaining('[input: pull-request]'),
        'artifacts.attestations[1].name': "Name and type must not both be '*' [input: *]",
        'artifacts.attestations[2].if': TEXT,
      },
    ],
  ])('refuses a file of %s', async (_, file, errors) => {
    const answer = await refusing.put({ name: 'a' }, file);
    expect([answer.status, (answer.json as { message: string }).message]).toEqual([
      400,
      'Input payload validation failed',
    ]);
    expect((answer.json as { errors: unknown }).errors).toMatchObject(errors);
    expect((await refusing.list()).json).toEqual([]);
  });

  it('refuses a file that is missing, not UTF-8, or larger than 1 MB', async () => {
    expect(refusal(await refusing.put({ name: 'a' }))).toEqual(
      refused({ policy_file: 'Field required [input: None]' }),
    );
    const latin = new Uint8Array(Buffer.from(`${PLAIN}# é`, 'latin1'));
    expect(refusal(await refusing.put({ name: 'a' }, latin))).toEqual(
      refused({ policy_file: 'The text is not UTF-8' }),
    );
    expect(refusal(await refusing.put({ name: 'a' }, `${PLAIN}#${'x'.repeat(1024 * 1024)}`))).toEqual(
      refused({ policy_file: 'The file is larger than 1048576 bytes' }),
    );
    expect((await refusing.get('a')).status).toBe(404);
  });

  it('refuses a plain JSON body, and a form without its payload', async () => {
    const path = `/policies/${refusing.org}`;
    const required = refused({ payload: 'Field required [input: None]' });
    expect(refusal(await refusing.call('PUT', path, { json: { name: 'a' } }))).toEqual(required);
    expect(refusal(await refusing.call('PUT', path, { form: { files: { policy_file: PLAIN } } }))).toEqual(required);
  });

  it('repeats the first answer under the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const once = { 'idempotency-key': 'once' };
    expect((await acme.put({ name: 'a' }, PLAIN, once)).status).toBe(201);
    await acme.put({ name: 'a' }, STRICT);
    expect(refusal(await acme.put({ name: 'a' }, PLAIN, once))).toEqual([201, 'OK']);
    expect((await acme.read('a')).versions.length).toBe(2);
    expect((await acme.put({ name: 'a' }, STRICT, once)).status).toBe(400);
  });
});
