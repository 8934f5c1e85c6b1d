import { describe, expect, it } from 'vitest';
import { adminApi, BAD_KEY, newOrganization, newUser, refusal } from '#test/support/admin.ts';
import { uniqueName } from '#test/support/directory.ts';

const api = await adminApi();

async function newOwner() {
  const { user, shared, key } = await newUser(api);
  return {
    user,
    shared,
    key,
    get: async () => refusal(await api.call('GET', '/user/default-org', { key })),
    set: async (org: string) => refusal(await api.call('PUT', `/user/${org}`, { key, text: 'null' })),
  };
}
const named = (name: string) => [200, { default_org_name: name }];
const denied = (org: string) => [403, { message: `Access denied to /api/v2/user/${org}` }];

describe('the default organization', () => {
  it('refuses strangers', async () => {
    for (const [method, path] of [
      ['GET', '/user/default-org'],
      ['PUT', '/user/any'],
    ] as const) {
      expect(refusal(await api.call(method, path))).toEqual([401, { message: 'Authentication required' }]);
      expect(refusal(await api.call(method, path, { key: 'nobody' }))).toEqual(BAD_KEY);
    }
  });

  it('is empty until one is set, then the last one that was set', async () => {
    const { user, shared, get, set } = await newOwner();
    expect(await get()).toEqual(named(''));
    expect(await set(shared)).toEqual([200, 'OK']);
    expect(await get()).toEqual(named(shared));
    await set(user);
    expect(await get()).toEqual(named(user));
  });

  it('is refused with the same sentence for an unknown organization and one of others, with the path of the request', async () => {
    const { get, set } = await newOwner();
    const other = await newUser(api);
    for (const org of [other.shared, uniqueName('nowhere'), 'x'.repeat(3000), 'a b', 'default-org', 'api-keys']) {
      expect(await set(org)).toEqual(denied(org));
    }
    expect(await get()).toEqual(named(''));
  });

  it('ends with the membership, and comes back with it', async () => {
    const { user, get, set } = await newOwner();
    const acme = await newOrganization(api);
    await acme.enroll(user, 'reader');
    await set(acme.org);
    expect(await get()).toEqual(named(acme.org));
    await acme.dismiss(user);
    expect(await get()).toEqual(named(''));
    expect(await set(acme.org)).toEqual(denied(acme.org));
    await acme.enroll(user, 'member');
    expect(await get()).toEqual(named(acme.org));
  });

  it('is only for users: a service account has none and can set none', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'admin' });
    const { key } = await acme.issue('robot');
    expect(refusal(await api.call('GET', '/user/default-org', { key }))).toEqual(named(''));
    expect(refusal(await api.call('PUT', `/user/${acme.org}`, { key }))).toEqual(denied(acme.org));
  });
});
