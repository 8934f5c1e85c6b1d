import { describe, expect, it, vi } from 'vitest';
import { archiveEnvironment } from '#shared/environments/records/environment-archive.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import { policyVersionKey } from '#shared/policies/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { newOrganization, PLAIN, policiesApi, policyUnknown, refusal, STRICT } from './policies-api.ts';

const api = await policiesApi();
const { table, clock } = api.services;

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('GET /policies/{org}/{policy}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/policies/${org}/prod`, needs: 'reader' });

  it('shows the environments that the policy is attached to, by name, without archived ones', async () => {
    const acme = await newOrganization(api);
    for (const name of ['a', 'b']) await acme.put({ name }, PLAIN);
    await acme.newEnvironment('prod-eu', ['a', 'b']);
    const gone = await acme.newEnvironment('gone', ['a']);
    await acme.newEnvironment('prod-ap', ['a']);
    expect((await acme.read('a')).consuming_envs).toEqual(['gone', 'prod-ap', 'prod-eu']);
    const head = await readEnvironmentHead(table, acme.id, gone);
    if (!head) throw new Error('The environment is not there');
    await archiveEnvironment(table, acme.id, head, clock.now(), { others: () => [], audited: () => [] });
    expect((await acme.read('a')).consuming_envs).toEqual(['prod-ap', 'prod-eu']);
    expect((await acme.read('b')).consuming_envs).toEqual(['prod-eu']);
  });

  it.each(['nope', 'a#b', 'a b', '..', 'größe', `n${'n'.repeat(400)}`, 'a\u0000b'])(
    'does not know the policy %j',
    async (name) => {
      expect(refusal(await refusing.get(name))).toEqual(policyUnknown(name, refusing.org));
    },
  );

  it('distinguishes names by case, and organizations', async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    await acme.put({ name: 'Prod' }, PLAIN);
    expect((await acme.get('prod')).status).toBe(404);
    expect(refusal(await other.get('Prod'))).toEqual(policyUnknown('Prod', other.org));
  });
});

describe('GET /policies/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/policies/${org}`, needs: 'reader' });

  it('is an empty array without policies', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.list())).toEqual([200, []]);
  });

  it('has the records of the single endpoint, by name', async () => {
    const acme = await newOrganization(api);
    for (const name of ['b', 'a', 'C']) await acme.put({ name, description: name }, PLAIN);
    await acme.put({ name: 'b' }, STRICT);
    await acme.newEnvironment('prod', ['a', 'C']);
    expect((await acme.list()).json).toEqual(await Promise.all(['C', 'a', 'b'].map((name) => acme.read(name))));
  });

  it('shows a placeholder for a record that cannot be parsed, and logs the cause', async () => {
    const acme = await newOrganization(api);
    for (const name of ['broken', 'sound']) await acme.put({ name }, PLAIN);
    await table.put({ ...policyVersionKey(acme.id, await acme.policyId('broken'), 1), v: 1, body: 'nonsense' });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { status, json } = await acme.list();
    expect(log).toHaveBeenCalledWith(expect.stringContaining('Unreadable record: policy broken'));
    log.mockRestore();
    expect([status, json]).toMatchObject([
      200,
      [{ name: 'broken', versions: [], consuming_envs: [], unreadable: true }, { name: 'sound' }],
    ]);
  });

  it('answers 406 if the texts are larger than an answer can be', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'a' }, PLAIN);
    const key = policyVersionKey(acme.id, await acme.policyId('a'), 1);
    const item = await table.get(key);
    await table.put({ ...item, ...key, body: { ...(item?.['body'] as object), size: 33 * 1024 * 1024 } });
    expect([(await acme.list()).status, (await acme.get('a')).status]).toEqual([406, 406]);
  });
});
