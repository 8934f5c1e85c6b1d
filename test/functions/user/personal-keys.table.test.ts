import { describe, expect, it } from 'vitest';
import {
  adminApi,
  BAD_KEY,
  DENIED,
  newOrganization,
  newUser,
  organizationOf,
  refusal,
  refused,
  SECRET,
  UUID,
} from '#test/support/admin.ts';

const api = await adminApi();
const NO_KEY = [404, { message: 'API key not found' }];
const NO_CREDENTIAL = [401, { message: 'Authentication required' }];
const NOBODYS = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';

interface KeyJson {
  id: string;
  key: string;
  expires_at: number;
}

/** A user, with requests that manage the user's own keys. */
async function newOwner() {
  const { user, shared, key } = await newUser(api);
  const call = (method: string, path = '', request = {}) =>
    api.call(method, `/user/api-keys${path}`, { key, ...request });
  return {
    user,
    shared,
    key,
    call,
    issue: async (json: object = {}) =>
      (await call('POST', '', { json: { description: 'd', ...json } })).json as KeyJson,
    list: async () => (await call('GET')).json as KeyJson[],
    personal: organizationOf(api, user, { admin: key }),
  };
}

const ENDPOINTS = [
  ['GET', ''],
  ['POST', ''],
  ['GET', `/${NOBODYS}`],
  ['POST', `/${NOBODYS}/rotate`],
  ['DELETE', `/${NOBODYS}`],
] as const;

describe('personal keys', () => {
  it.each(ENDPOINTS)('%s /user/api-keys%s refuses strangers and service accounts', async (method, path) => {
    const request = { json: { description: 'd' } };
    expect(refusal(await api.call(method, `/user/api-keys${path}`, request))).toEqual(NO_CREDENTIAL);
    expect(refusal(await api.call(method, `/user/api-keys${path}`, { ...request, key: 'nobody' }))).toEqual(BAD_KEY);
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'admin' });
    const { key } = await acme.issue('robot');
    expect(refusal(await api.call(method, `/user/api-keys${path}`, { ...request, key }))).toEqual(DENIED);
  });

  it('are issued, listed, read, rotated and revoked like keys of service accounts', async () => {
    const { call, issue, list, shared } = await newOwner();
    const [seeded] = await list();
    const made = await issue();
    expect(made).toEqual({
      id: expect.stringMatching(UUID),
      key: expect.stringMatching(SECRET),
      description: 'd',
      created_at: expect.any(Number),
      expires_at: 0,
    });
    expect((await list()).map(({ id }) => id)).toEqual([seeded?.id, made.id]);
    expect((await call('GET', `/${made.id}`)).json).toMatchObject({ id: made.id, last_used_at: 0 });

    const tryKey = async (key: string) => refusal(await api.call('GET', `/service-accounts/${shared}`, { key }));
    expect(await tryKey(made.key)).toEqual([200, []]);
    const rotated = await call('POST', `/${made.id}/rotate`, { text: 'null' });
    expect(rotated).toMatchObject({ status: 201, json: { id: made.id, grace_period_expires_at: expect.any(Number) } });
    const { key: next } = rotated.json as KeyJson;
    for (const key of [made.key, next]) expect(await tryKey(key)).toEqual([200, []]);

    expect(refusal(await call('DELETE', `/${made.id}`, { text: 'null' }))).toEqual([200, 'revoked']);
    for (const key of [made.key, next]) expect(await tryKey(key)).toEqual(BAD_KEY);
    expect(refusal(await call('DELETE', `/${made.id}`))).toEqual(NO_KEY);
    expect(refusal(await call('GET', `/${made.id}`))).toEqual(NO_KEY);
  });

  it('are refused field by field', async () => {
    const { call, list } = await newOwner();
    expect(refusal(await call('POST', '', { json: { expires_at: 1 } }))).toEqual(
      refused({ description: 'Field required [input: None]' }),
    );
    expect(refusal(await call('POST', '', { json: { description: 'd', expires_at: 1 } }))).toEqual(
      refused({ expires_at: 'Input should not be in the past [input: 1]' }),
    );
    expect(await list()).toHaveLength(1);
  });

  it('personal keys of other users are unknown', async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    const { id } = await one.issue();
    expect(refusal(await other.call('GET', `/${id}`))).toEqual(NO_KEY);
    expect(refusal(await other.call('POST', `/${id}/rotate`, { json: {} }))).toEqual(NO_KEY);
    expect(refusal(await other.call('DELETE', `/${id}`))).toEqual(NO_KEY);
    expect((await one.call('GET', `/${id}`)).status).toBe(200);
  });

  it('can revoke themselves, and are refused at once afterwards', async () => {
    const { issue, call } = await newOwner();
    const { id, key } = await issue();
    expect((await call('DELETE', `/${id}`, { key })).status).toBe(200);
    expect(refusal(await call('GET', '', { key }))).toEqual(BAD_KEY);
  });

  it('have audit entries in the personal organization', async () => {
    const { issue, call, personal, user } = await newOwner();
    const { id } = await issue({ description: 'mine' });
    await call('POST', `/${id}/rotate`);
    await call('DELETE', `/${id}`);
    const entries = await personal.audit('kind=api_key');
    expect(entries.map(({ kind }) => kind)).toEqual(['api_key.revoked', 'api_key.rotated', 'api_key.issued']);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        actor: { kind: 'user', name: user },
        subject: { type: 'api_key', id, name: 'mine' },
      });
    }
  });

  it('personal keys of users without a personal organization have no audit entries', async () => {
    const acme = await newOrganization(api);
    const answer = await api.call('POST', '/user/api-keys', { key: acme.keys.reader, json: { description: 'd' } });
    expect(answer.status).toBe(201);
    expect(await acme.audit('kind=api_key')).toEqual([]);
  });
});
