import { describe, expect, it } from 'vitest';
import { testPartition } from '#test/support/ids.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  newOrganization,
  refusal,
  refused,
} from './environments-api.ts';

const api = await environmentsApi();
const refusing = await newOrganization(api);
await refusing.withEnvironments('web', 'gone');
await refusing.put({ name: 'group', type: 'logical' });
await refusing.archive('gone');

const OK = [201, 'OK'];

describe('PUT /environments/{org} of a logical environment', () => {
  it('includes physical ones, each once and in the order given', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b', 'c');
    const put = (included_environments?: unknown) => acme.put({ name: 'all', type: 'logical', included_environments });
    expect(refusal(await put(['c', 'a', 'c']))).toEqual(OK);
    expect((await acme.read('all')).included_environments).toEqual(['c', 'a']);
    await put(['b', 'a']);
    expect((await acme.read('all')).included_environments).toEqual(['b', 'a']);
    await put(null);
    expect((await acme.read('all')).included_environments).toEqual(['b', 'a']);
    await put([]);
    expect((await acme.read('all')).included_environments).toEqual([]);
  });

  it('may be created without members', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.put({ name: 'all', type: 'logical' }))).toEqual(OK);
    expect(await acme.read('all')).toMatchObject({ type: 'logical', included_environments: [], state: null });
  });

  it('links members with the groups that they are in', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.put({ name: 'one', type: 'logical', included_environments: ['a', 'b'] });
    await acme.put({ name: 'two', type: 'logical', included_environments: ['a'] });
    await acme.put({ name: 'one', type: 'logical', included_environments: ['b'] });
    expect(await groupsOf(acme, 'a')).toEqual([await acme.environmentId('two')]);
    expect(await groupsOf(acme, 'b')).toEqual([await acme.environmentId('one')]);
  });

  it('shows the present names of members, and accepts former ones', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    await acme.rename('a', 'z');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'] });
    expect((await acme.read('all')).included_environments).toEqual(['z']);
    await acme.rename('z', 'y');
    expect((await acme.read('all')).included_environments).toEqual(['y']);
  });

  it('refuses unknown, archived and logical members, each by its place', async () => {
    const included_environments = ['web', 'nope', 'gone', 'group', 'a#b'];
    const answer = await refusing.put({ name: 'all', type: 'logical', included_environments });
    const { org } = refusing;
    expect(refusal(answer)).toEqual(
      refused({
        'included_environments[1]': `Environment named 'nope' does not exist for organization '${org}'`,
        'included_environments[2]': `Environment named 'gone' has been archived for organization '${org}'`,
        'included_environments[3]': "Environment named 'group' is logical: only physical environments can be included",
        'included_environments[4]': `Environment named 'a#b' does not exist for organization '${org}'`,
      }),
    );
    expect((await refusing.get('all')).status).toBe(404);
  });

  it('refuses members of a physical environment, but accepts an empty list', async () => {
    const put = (included_environments: unknown) =>
      refusing.put({ name: 'web', type: 'server', included_environments });
    expect(refusal(await put(['web']))).toEqual(
      refused({ included_environments: 'Only a logical environment includes others [input: ["web"]]' }),
    );
    expect(refusal(await put([]))).toEqual(OK);
    expect((await refusing.read('web')).included_environments).toBeNull();
  });

  it('adds and removes more members than fit into one transaction', async () => {
    const acme = await newOrganization(api);
    const names = Array.from({ length: 70 }, (_, i) => `m${String(i).padStart(2, '0')}`);
    for (let i = 0; i < names.length; i += 10) {
      await Promise.all(names.slice(i, i + 10).map((name) => acme.put({ name, type: 'server' })));
    }
    const put = (included_environments: string[]) => acme.put({ name: 'all', type: 'logical', included_environments });
    expect(refusal(await put(names))).toEqual(OK);
    expect((await acme.read('all')).included_environments).toEqual(names);
    expect(refusal(await put(names.slice(60)))).toEqual(OK);
    expect((await acme.read('all')).included_environments).toEqual(names.slice(60));
    expect([await groupsOf(acme, 'm00'), (await groupsOf(acme, 'm69')).length]).toEqual([[], 1]);
  });

  const groupsOf = async (acme: EnvironmentsOfOrganization, name: string) => {
    const pk = testPartition(`${acme.id}#ENV#${await acme.environmentId(name)}`);
    const items = await api.services.table.query({ pk, prefix: 'IN#' });
    return items.map(({ sk }) => sk.slice(3));
  };
});

describe('PUT /environments/{org} with policies', () => {
  const attachedTo = async (acme: EnvironmentsOfOrganization, environment: string) => {
    const { json } = await acme.call('GET', `/policies/${acme.org}`);
    const policies = json as { name: string; consuming_envs: string[] }[];
    return policies.filter(({ consuming_envs }) => consuming_envs.includes(environment)).map(({ name }) => name);
  };

  it('attaches exactly the given policies, and changes none if the field is absent', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('a', 'b', 'c');
    const put = (policies?: unknown) => acme.put({ name: 'web', type: 'server', policies });
    await put(['c', 'a', 'c']);
    expect([(await acme.read('web')).policies, await attachedTo(acme, 'web')]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
    await put(['b', 'a']);
    expect([(await acme.read('web')).policies, await attachedTo(acme, 'web')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await put(null);
    await put(undefined);
    expect((await acme.read('web')).policies).toEqual(['a', 'b']);
    await put([]);
    expect([(await acme.read('web')).policies, await attachedTo(acme, 'web')]).toEqual([[], []]);
  });

  it('changes policies, members and description of one environment together', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('m', 'n');
    await acme.withPolicies('p');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['m'] });
    await acme.put({ name: 'all', type: 'logical', included_environments: ['n'], policies: ['p'], description: 'd' });
    expect(await acme.read('all')).toMatchObject({ included_environments: ['n'], policies: ['p'], description: 'd' });
  });

  it('evaluates what runs at once by the new policies, and stores a snapshot', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('p');
    await acme.withEnvironments('web');
    const artifacts = [{ digests: { app: 'a'.repeat(64) }, creationTimestamp: 1_700_000_000 }];
    await acme.call('PUT', `/environments/${acme.org}/web/report/server`, { json: { artifacts } });
    expect([(await acme.head('web')).index, (await acme.read('web')).state]).toEqual([1, null]);
    await acme.put({ name: 'web', type: 'server', policies: ['p'], description: 'judged' });
    expect([(await acme.head('web')).index, await acme.read('web')]).toMatchObject([
      2,
      { state: false, policies: ['p'], description: 'judged' },
    ]);
    await acme.patch('web', { policies: [] });
    expect([(await acme.head('web')).index, (await acme.read('web')).state]).toEqual([3, null]);
  });

  it('judges by its policies alone, and not by require_provenance', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', type: 'server', require_provenance: true });
    const artifacts = [{ digests: { app: 'a'.repeat(64) }, creationTimestamp: 1_700_000_000 }];
    await acme.call('PUT', `/environments/${acme.org}/web/report/server`, { json: { artifacts } });
    expect([(await acme.head('web')).index, (await acme.read('web')).state]).toEqual([1, null]);
  });

  it('is open to the role snapshotter', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('p');
    const fields = { name: 'web', type: 'server', policies: ['p'] };
    expect(refusal(await acme.put(fields, { as: 'snapshotter' }))).toEqual(OK);
    expect((await acme.read('web')).policies).toEqual(['p']);
  });

  it.each(['nope', 'a#b'])('answers 404 for the policy %j, and creates nothing', async (policy) => {
    const answer = await refusing.put({ name: 'other', type: 'server', policies: [policy] });
    expect(refusal(answer)).toEqual([
      404,
      { message: `Policy '${policy}' does not exist in organization '${refusing.org}'` },
    ]);
    expect((await refusing.get('other')).status).toBe(404);
  });

  it('refuses more policies than an environment may have', async () => {
    const acme = await newOrganization(api);
    const names = Array.from({ length: 21 }, (_, i) => `p${i}`);
    await acme.withPolicies(...names);
    const answer = await acme.put({ name: 'web', type: 'server', policies: names });
    expect(refusal(answer)).toEqual(refused({ policies: 'An environment can have at most 20 policies [input: 21]' }));
  });
});
