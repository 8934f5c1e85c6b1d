import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  environmentArchived,
  environmentsApi,
  environmentUnknown,
  newOrganization,
  refusal,
  refused,
} from './environments-api.ts';

const api = await environmentsApi();
const refusing = await newOrganization(api);
await refusing.withEnvironments('web');

const OK = [200, 'OK'];

describe('PATCH /environments/{org}/{env_name}', () => {
  describeAccess(api, {
    method: 'PATCH',
    path: (org) => `/environments/${org}/web`,
    request: { json: { description: 'd' } },
    needs: 'member',
  });

  it('changes the description, and clears it by an empty one', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', type: 'server', description: 'first', require_provenance: true });
    expect(refusal(await acme.patch('web', { description: 'second', include_scaling: true }))).toEqual(OK);
    expect(await acme.read('web')).toMatchObject({
      description: 'second',
      require_provenance: true,
      include_scaling: false,
    });
    expect(refusal(await acme.patch('web', { description: '' }))).toEqual(OK);
    expect((await acme.read('web')).description).toBe('');
  });

  it('changes nothing if no field is given', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    await acme.withPolicies('p');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'], policies: ['p'], description: 'd' });
    const before = await acme.read('all');
    for (const fields of [{}, { description: null, included_environments: null, policies: null }]) {
      expect(refusal(await acme.patch('all', fields))).toEqual(OK);
    }
    expect(await acme.read('all')).toEqual(before);
  });

  it('replaces members and policies, and empties both', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.withPolicies('p', 'q');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'], policies: ['p'] });
    await acme.patch('all', { included_environments: ['b'], policies: ['q'] });
    expect(await acme.read('all')).toMatchObject({ included_environments: ['b'], policies: ['q'] });
    await acme.patch('all', { included_environments: [], policies: [] });
    expect(await acme.read('all')).toMatchObject({ included_environments: [], policies: [] });
  });

  it('finds the environment by a former name', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('old');
    await acme.rename('old', 'new');
    expect(refusal(await acme.patch('old', { description: 'd' }))).toEqual(OK);
    expect(await acme.read('new')).toMatchObject({ name: 'new', description: 'd' });
  });

  it('refuses unknown fields, name and type among them', async () => {
    const answer = await refusing.patch('web', { name: 'x', type: 'server', description: 7, policies: 'p' });
    expect(refusal(answer)).toEqual(
      refused({
        name: 'Extra inputs are not permitted [input: x]',
        type: 'Extra inputs are not permitted [input: server]',
        description: 'Input should be a valid string [input: 7]',
        policies: 'Input should be a valid list [input: p]',
      }),
    );
  });

  it('refuses a body without content', async () => {
    const answer = await refusing.patch('web', undefined, { text: 'null' });
    expect(refusal(answer)).toEqual(refused({ payload: 'Field required [input: None]' }));
  });

  it('refuses members of a physical environment and unknown ones, and answers 404 for an unknown policy', async () => {
    expect(refusal(await refusing.patch('web', { included_environments: ['web'] }))).toEqual(
      refused({ included_environments: 'Only a logical environment includes others [input: ["web"]]' }),
    );
    await refusing.put({ name: 'all', type: 'logical' });
    expect(refusal(await refusing.patch('all', { included_environments: ['nope'] }))).toEqual(
      refused({
        'included_environments[0]': `Environment named 'nope' does not exist for organization '${refusing.org}'`,
      }),
    );
    expect(refusal(await refusing.patch('web', { policies: ['nope'] }))).toEqual([
      404,
      { message: `Policy 'nope' does not exist in organization '${refusing.org}'` },
    ]);
  });

  it('answers 404 for an unknown environment, and 404 with another sentence for an archived one', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('gone');
    await acme.archive('gone');
    expect(refusal(await acme.patch('nope', {}))).toEqual(environmentUnknown('nope', acme.org));
    expect(refusal(await acme.patch('gone', {}))).toEqual(environmentArchived('gone', acme.org));
    expect((await acme.patch('nope', { name: 'x' })).status).toBe(400);
  });

  it('loses no change if a rename, a description and members arrive at once', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.put({ name: 'all', type: 'logical' });
    const answers = await Promise.all([
      acme.rename('all', 'group'),
      acme.patch('all', { description: 'd' }),
      acme.patch('all', { included_environments: ['a'] }),
      acme.patch('all', { description: 'e' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const record = await acme.read('all');
    expect(record).toMatchObject({ name: 'group', included_environments: ['a'] });
    expect(['d', 'e']).toContain(record.description);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const headers = { 'idempotency-key': 'patch-once' };
    await acme.patch('web', { description: 'first' }, { headers });
    await acme.patch('web', { description: 'later' });
    expect(refusal(await acme.patch('web', { description: 'first' }, { headers }))).toEqual(OK);
    expect((await acme.read('web')).description).toBe('later');
    expect((await acme.patch('web', { description: 'other' }, { headers })).status).toBe(400);
  });
});
