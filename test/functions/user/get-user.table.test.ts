import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import {
  memberKey,
  memberOfList,
  organizationKey,
  organizationListKey,
  userKey,
} from '#shared/organizations/records/keys.ts';
import { memberOfItem } from '#shared/organizations/records/organizations-of-user.ts';
import { adminApi, BAD_KEY, newOrganization, newUser, refusal, UUID } from '#test/support/admin.ts';

const api = await adminApi();
const { table, clock } = api.services;

const getUser = async (key: string) => {
  const answer = await api.call('GET', '/user', { key });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as {
    organizations: { name: string; role: string; features: Record<string, boolean> }[];
    has_more_organizations: boolean;
    default_org_name: string;
  };
};
const namesOf = async (key: string) => (await getUser(key)).organizations.map(({ name }) => name);
const idOf = async (user: string) => {
  const record = await new Directory(table).user(user);
  if (!record) throw new Error(`There is no user '${user}'`);
  return record.id;
};
const NO_RULES = { sign_in_rules: [], sign_in_grants: { domains: [], groups: [] } };
const NO_FEATURES = { controls: false, evaluations: false, public_log: false };

describe('GET /user', () => {
  it('refuses strangers and unknown parameters', async () => {
    expect(refusal(await api.call('GET', '/user'))).toEqual([401, { message: 'Authentication required' }]);
    expect(refusal(await api.call('GET', '/user', { key: 'nobody' }))).toEqual(BAD_KEY);
    const { key } = await newUser(api);
    expect((await api.call('GET', '/user', { key, query: 'expand=all' })).status).toBe(400);
  });

  it('shows a user with organizations, roles, features and the key, in five AWS calls beside authentication', async () => {
    const { user, shared, key } = await newUser(api);
    const acme = await newOrganization(api, ['controls']);
    await acme.enroll(user, 'reader');
    await api.call('PUT', `/user/${acme.org}`, { key });
    expect(await getUser(key)).toEqual({
      id: await idOf(user),
      name: user,
      kind: 'user',
      organizations: [
        {
          name: acme.org,
          kind: 'shared',
          role: 'reader',
          features: { ...NO_FEATURES, controls: true },
          sign_in_rules: null,
          sign_in_grants: null,
        },
        { name: user, kind: 'personal', role: 'admin', features: NO_FEATURES, ...NO_RULES },
        { name: shared, kind: 'shared', role: 'admin', features: NO_FEATURES, ...NO_RULES },
      ],
      has_more_organizations: false,
      offers: [],
      default_org_name: acme.org,
      credential: {
        kind: 'api_key',
        id: expect.stringMatching(UUID),
        api_key_id: expect.stringMatching(UUID),
        expires_at: 0,
      },
    });
    await getUser(key);
    // User, list and offers together, memberships, organizations: what authentication read is remembered.
    expect(api.entries.at(-1)).toMatchObject({ aws_calls: 5, aws_sequential: 3 });
  });

  it('shows the one organization of a service account', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'snapshotter' });
    const expires_at = Math.floor(clock.now() / 1_000_000) + 3600;
    const { key, id } = await acme.issue('robot', { expires_at });
    expect(await getUser(key)).toMatchObject({
      name: 'robot',
      kind: 'service-account',
      organizations: [{ name: acme.org, role: 'snapshotter' }],
      default_org_name: '',
      credential: { kind: 'api_key', id, api_key_id: id, expires_at },
    });
  });

  it('shows the session of the request with its end', async () => {
    const { key } = await newUser(api);
    const started = await api.call('POST', '/user/session', { key });
    const session = started.json as { id: string; api_key_id: string; expires_at: number };
    const cookies = [started.cookies[0]?.split(';')[0] ?? ''];
    const answer = await api.call('GET', '/user', { cookies, headers: { 'sec-fetch-site': 'same-origin' } });
    expect(answer.json).toMatchObject({
      credential: {
        kind: 'session',
        id: session.id,
        api_key_id: session.api_key_id,
        expires_at: session.expires_at,
      },
    });
  });

  it('follows roles and memberships at once', async () => {
    const { user, shared, key } = await newUser(api);
    const acme = await newOrganization(api);
    await acme.enroll(user, 'reader');
    await acme.put(user, 'member');
    expect((await getUser(key)).organizations[0]).toMatchObject({ name: acme.org, role: 'member' });
    await acme.dismiss(user);
    expect(await namesOf(key)).toEqual([user, shared]);
    await acme.enroll(user, 'admin');
    expect(await namesOf(key)).toEqual([acme.org, user, shared]);
  });

  it('leaves out a listed organization in which the user is no member', async () => {
    const { user, shared, key } = await newUser(api);
    const acme = await newOrganization(api);
    const org = await new Directory(table).organization(acme.org);
    if (!org) throw new Error('The organization is not there');
    await table.put(memberOfItem(await idOf(user), org.id));
    expect(await namesOf(key)).toEqual([user, shared]);
  });

  it('finds the organizations of a user of an earlier release, 500 organizations per request', async () => {
    const { user, shared, key } = await newUser(api);
    const id = await idOf(user);
    for (const { pk, sk } of await table.query({ pk: memberOfList(id) })) await table.write({ remove: { pk, sk } });
    await table.update(userKey(user), { UpdateExpression: 'REMOVE organizationsListed' });
    // Organizations that are older than the user's.
    const old = Array.from({ length: 500 }, (_, i) => newId<OrganizationId>(micros(1_000_000_000_000_000 + i)));
    await table.putMany(old.map((org) => ({ ...organizationListKey(org), v: 1, id: org, name: `old-${org}` })));
    expect(await namesOf(key)).toEqual([]);
    expect(await namesOf(key)).toEqual([user, shared]);
    expect((await table.get(userKey(user)))?.['organizationsListed']).toBe('all');
  });

  it('shows 100 organizations and says that there are more', async () => {
    const { user, key } = await newUser(api);
    const id = await idOf(user);
    const orgs = Array.from({ length: 101 }, (_, i) => ({
      id: newId<OrganizationId>(clock.now()),
      name: `${user}-${i}`,
    }));
    await table.putMany(
      orgs.flatMap(({ id: org, name }) => [
        memberOfItem(id, org),
        { ...memberKey(org, id), v: 1, principal: id, kind: 'user', name: user, role: 'reader', addedAt: 0 },
        { ...organizationListKey(org), v: 1, id: org, name },
        { ...organizationKey(name), v: 1, id: org, name, kind: 'shared', features: [], createdAt: 0 },
      ]),
    );
    await api.call('PUT', `/user/${user}-100`, { key });
    const { organizations: shown, has_more_organizations, default_org_name } = await getUser(key);
    expect([shown.length, has_more_organizations, default_org_name]).toEqual([100, true, `${user}-100`]);
  });
});
