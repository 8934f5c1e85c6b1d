import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '#shared/environments/rules/environment-kinds.ts';
import { describeAccess } from '#test/support/access.ts';
import { testPartition } from '#test/support/ids.ts';
import {
  badName,
  environmentsApi,
  environmentUnknown,
  HOSTILE_NAMES,
  newOrganization,
  refusal,
  refused,
} from './environments-api.ts';

const api = await environmentsApi();
const refusing = await newOrganization(api);
await refusing.withEnvironments('web');

const OK = [201, 'OK'];
const KINDS = Object.entries(ENVIRONMENT_KINDS) as [EnvironmentKind, string][];

describe('PUT /environments/{org}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/environments/${org}`,
    request: { json: { name: 'web', type: 'server' } },
    needs: 'snapshotter',
  });

  it('creates the environment that the command-line client sends, and shows all fields', async () => {
    const acme = await newOrganization(api);
    const before = Date.now() / 1000 - 1;
    const answer = await acme.put({
      name: 'prod',
      type: 'K8S',
      description: 'the cluster',
      include_scaling: true,
      require_provenance: true,
      included_environments: null,
      policies: null,
    });
    expect(refusal(answer)).toEqual(OK);
    const record = await acme.read('prod');
    expect(record).toEqual({
      org: acme.org,
      name: 'prod',
      type: 'K8S',
      description: 'the cluster',
      last_modified_at: expect.any(Number),
      last_reported_at: null,
      last_changed_at: null,
      state: null,
      state_reason: null,
      include_scaling: false,
      require_provenance: true,
      tags: {},
      policies: [],
      included_environments: null,
      html_url: `https://api.example/${acme.org}/environments/prod`,
    });
    expect(record.last_modified_at).toBeGreaterThan(before);
  });

  it.each(KINDS)('creates an environment of type %s, also by the word %s', async (kind, word) => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.put({ name: 'a', type: kind }))).toEqual(OK);
    expect(refusal(await acme.put({ name: 'b', type: word }))).toEqual(OK);
    expect([(await acme.read('a')).type, (await acme.read('b')).type]).toEqual([kind, kind]);
  });

  it('answers 201 for the same request again, and changes nothing', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const before = await acme.read('web');
    expect(refusal(await acme.put({ name: 'web', type: 'server', description: 'web' }))).toEqual(OK);
    expect(await acme.read('web')).toEqual(before);
  });

  it('updates given fields, ignores absent and null ones, and never clears the description', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', type: 'server', description: 'first', require_provenance: true });
    await acme.put({ name: 'web', type: 'server', description: null, require_provenance: null });
    expect(await acme.read('web')).toMatchObject({ description: 'first', require_provenance: true });
    const { last_modified_at: before } = await acme.read('web');
    await acme.put({ name: 'web', type: 'server', description: '', require_provenance: false });
    expect(await acme.read('web')).toMatchObject({ description: 'first', require_provenance: false });
    await acme.put({ name: 'web', type: 'server', description: 'second' });
    const after = await acme.read('web');
    expect(after).toMatchObject({ description: 'second', require_provenance: false });
    expect(after.last_modified_at).toBeGreaterThan(before);
  });

  it('keeps a description of any length', async () => {
    const acme = await newOrganization(api);
    const description = Array.from({ length: 20_000 }, (_, i) => i).join(' ');
    expect(refusal(await acme.put({ name: 'web', type: 'server', description }))).toEqual(OK);
    expect((await acme.read('web')).description).toBe(description);
  });

  it('refuses another type for an existing environment', async () => {
    const text = 'The type of an environment never changes, this one is of type server [input: docker]';
    expect(refusal(await refusing.put({ name: 'web', type: 'docker' }))).toEqual(refused({ type: text }));
  });

  it.each(['k8s', 'unknown', 'SERVER'])('refuses the type %j and quotes it', async (type) => {
    expect(refusal(await refusing.put({ name: 'new', type }))).toEqual(
      refused({
        type: expect.stringMatching(new RegExp(`^Input should be 'K8S', .* or 'logical' \\[input: ${type}\\]$`)),
      }),
    );
  });

  it.each(HOSTILE_NAMES)('refuses the name %j and quotes it', async (name) => {
    expect(refusal(await refusing.put({ name, type: 'server' }))).toEqual(refused({ name: badName(name) }));
  });

  it('refuses a name that is longer than a key may hold', async () => {
    expect((await refusing.put({ name: 'n'.repeat(255), type: 'server' })).status).toBe(201);
    expect(refusal(await refusing.put({ name: 'n'.repeat(256), type: 'server' }))).toEqual(
      refused({ name: expect.stringContaining('at most 255 characters') }),
    );
  });

  it('refuses all wrong and unknown fields at once', async () => {
    const answer = await refusing.put({
      description: 7,
      include_scaling: 'yes',
      require_provenance: 1,
      included_environments: 'a',
      policies: [3],
      colour: 'red',
    });
    expect(refusal(answer)).toEqual(
      refused({
        name: 'Field required [input: None]',
        type: 'Field required [input: None]',
        description: 'Input should be a valid string [input: 7]',
        include_scaling: 'Input should be a valid boolean, unable to interpret input [input: yes]',
        require_provenance: 'Input should be a valid boolean [input: 1]',
        included_environments: 'Input should be a valid list [input: a]',
        'policies[0]': 'Input should be a valid string [input: 3]',
        colour: 'Extra inputs are not permitted [input: red]',
      }),
    );
  });

  it.each(['', 'null'])('refuses the body %j', async (text) => {
    const answer = await refusing.call('PUT', `/environments/${refusing.org}`, { text });
    expect(refusal(answer)).toEqual(refused({ payload: 'Field required [input: None]' }));
  });

  it('creates a new environment of any type under an archived name', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', type: 'server', description: 'first' });
    const first = await acme.environmentId('web');
    await acme.archive('web');
    expect(refusal(await acme.put({ name: 'web', type: 'docker' }))).toEqual(OK);
    expect(await acme.read('web')).toMatchObject({ type: 'docker', description: '' });
    expect(await acme.environmentId('web')).not.toBe(first);
    expect(await acme.names()).toEqual(['web']);
  });

  it('takes a former name of another environment, which keeps its present one', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('old');
    await acme.rename('old', 'new');
    expect(refusal(await acme.put({ name: 'old', type: 'docker', description: 'second' }))).toEqual(OK);
    expect(await acme.found('old')).toEqual(['second', 'old']);
    expect(await acme.found('new')).toEqual(['old', 'new']);
    expect(await acme.names()).toEqual(['new', 'old']);
  });

  it('shows an organization nothing of another', async () => {
    const [one, other] = [await newOrganization(api), await newOrganization(api)];
    await one.withEnvironments('web');
    expect(refusal(await other.get('web'))).toEqual(environmentUnknown('web', other.org));
    await other.put({ name: 'web', type: 'docker', description: 'theirs' });
    expect(await one.read('web')).toMatchObject({ type: 'server', description: 'web' });
  });

  it('makes one environment of many requests at once', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => acme.put({ name: 'web', type: 'server', description: `d${i}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(await acme.names()).toEqual(['web']);
  });

  it('refuses one of two types that are requested at once, with status 400', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all(['server', 'docker'].map((type) => acme.put({ name: 'web', type })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const headers = { 'idempotency-key': 'create-once' };
    const fields = { name: 'web', type: 'server', description: 'first' };
    expect(refusal(await acme.put(fields, { headers }))).toEqual(OK);
    await acme.patch('web', { description: 'later' });
    expect(refusal(await acme.put(fields, { headers }))).toEqual(OK);
    expect((await acme.read('web')).description).toBe('later');
    expect((await acme.put({ ...fields, type: 'docker' }, { headers })).status).toBe(400);
  });

  it('writes each change into the audit log, but no repetition', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    await acme.withEnvironments('web');
    await acme.put({ name: 'web', type: 'server', description: 'other' });
    const month = new Date().toISOString().slice(0, 7).replace('-', '');
    const entries = await api.services.table.query({ pk: testPartition(`${acme.id}#AUDIT#${month}`) });
    const ofEnvironments = entries.filter(({ kind }) => String(kind).startsWith('environment.'));
    expect(ofEnvironments.map(({ kind, subject }) => ({ kind, subject }))).toMatchObject([
      { kind: 'environment.created', subject: { name: 'web' } },
      { kind: 'environment.changed', subject: { name: 'web' } },
    ]);
    const facts = ofEnvironments.map(({ before, after }) =>
      [before, after].map((text) => text && JSON.parse(String(text))),
    );
    expect(facts).toMatchObject([
      [null, { type: 'server', description: 'web' }],
      [{ description: 'web' }, { description: 'other' }],
    ]);
  });
});
