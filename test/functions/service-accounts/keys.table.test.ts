import { describe, expect, it } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { MOST_KEYS, newKeyWrites } from '#shared/organizations/records/api-keys.ts';
import { ApiKeyRecord } from '#shared/organizations/records/directory-records.ts';
import { apiKeyKey, keyUseKey } from '#shared/organizations/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { BAD_KEY, DENIED, refusal, refused, SECRET, UUID } from '#test/support/admin.ts';
import { HOUR, type KeyJson, keysApi, NO_ACCOUNT, NO_KEY, NOBODYS } from './keys-api.ts';

const { api, seconds, wait, withRobot } = await keysApi();
const { table } = api.services;
const refusing = await withRobot();
const kept = await refusing.issue('robot');

describe('POST …/api-keys', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/service-accounts/${org}/robot/api-keys`,
    request: { json: { description: 'd' } },
    needs: 'snapshotter',
  });

  it('issues a key that authenticates as the account; the secret is not stored', async () => {
    const { org, call, at, list } = await withRobot('member');
    const answer = await call('POST', at(), { json: { description: 'for builds' } });
    expect(refusal(answer)).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        key: expect.stringMatching(SECRET),
        description: 'for builds',
        created_at: expect.any(Number),
        expires_at: 0,
      },
    ]);
    const { key, id, created_at } = answer.json as KeyJson;
    const me = await call('POST', `/service-accounts/${org}`, { key, json: { name: 'made', privilege: 'member' } });
    expect(me.status).toBe(201);
    expect(await list()).toEqual([
      { id, description: 'for builds', created_at, expires_at: 0, last_used_at: expect.any(Number) },
    ]);
    expect(JSON.stringify(await table.get(apiKeyKey(hashKey(key))))).not.toContain(key);
    expect(JSON.stringify(api.entries)).not.toContain(key);
  });

  it.each([
    [{}, { description: 'Field required [input: None]' }],
    [{ description: '' }, { description: 'String should have at least 1 character [input: ]' }],
    [{ description: 'x'.repeat(257) }, { description: expect.stringContaining('at most 256 characters') }],
    [{ description: null }, { description: expect.stringContaining('valid string') }],
    [{ description: 'd', expires_at: 1 }, { expires_at: 'Input should not be in the past [input: 1]' }],
    [{ description: 'd', expires_at: -1 }, { expires_at: expect.stringContaining('greater than or equal to 0') }],
    [
      { description: 'd', expires_at: 4_102_444_801 },
      { expires_at: expect.stringContaining('less than or equal to 4102444800') },
    ],
    [
      { description: 'd', expires_at: 'soon' },
      { expires_at: 'Input should be a valid integer, unable to parse string as an integer [input: soon]' },
    ],
    [{ description: 'd', expires_at: 1.5 }, { expires_at: expect.stringContaining('valid integer') }],
    [null, { payload: 'Field required [input: None]' }],
  ])('refuses %j field by field', async (json, errors) => {
    expect(refusal(await refusing.call('POST', refusing.at(), { json }))).toEqual(refused(errors));
    expect((await refusing.list()).map(({ id }) => id)).toEqual([kept.id]);
  });

  it.each([undefined, null, 0])('takes %j as never', async (expires_at) => {
    const { issue } = await withRobot();
    expect(await issue('robot', { expires_at })).toMatchObject({ expires_at: 0 });
  });

  it('stops a key at its expiry: requests are refused as with an unknown key, and lists leave it out', async () => {
    const { issue, tryKey, list, get, rotate, revoke } = await withRobot();
    const { id, key, expires_at } = await issue('robot', { expires_at: seconds() + HOUR });
    expect((await tryKey(key))[0]).toBe(200);
    expect(await list()).toMatchObject([{ id, expires_at }]);
    wait(HOUR);
    expect(await tryKey(key)).toEqual(BAD_KEY);
    expect(await list()).toEqual([]);
    for (const answer of [await get(id), await rotate(id), await revoke(id)]) expect(refusal(answer)).toEqual(NO_KEY);
  });

  it('is allowed for admins, and for the creator if the creator’s role includes the privilege', async () => {
    const { create, patch, keys, keysOf, call } = await withRobot();
    await create({ name: 'own', privilege: 'snapshotter' }, { key: keys.snapshotter });
    const issue = (name: string, key: string) => call('POST', keysOf(name), { key, json: { description: 'd' } });
    expect(refusal(await issue('robot', keys.snapshotter))).toEqual(DENIED);
    expect(refusal(await issue('own', keys.member))).toEqual(DENIED);
    expect((await issue('own', keys.snapshotter)).status).toBe(201);
    await patch('own', { privilege: 'admin' });
    expect(refusal(await issue('own', keys.snapshotter))).toEqual(DENIED);
    expect((await issue('own', keys.admin)).status).toBe(201);
    expect(refusal(await issue('unknown', keys.member))).toEqual(NO_ACCOUNT);
  });

  it('answers a repeated request with the same Idempotency-Key without the secret, and issues one key', async () => {
    const { call, at, list } = await withRobot();
    const request = { json: { description: 'd' }, headers: { 'idempotency-key': 'once' } };
    const first = await call('POST', at(), request);
    const again = await call('POST', at(), request);
    expect(again).toMatchObject({ status: 201, json: { ...(first.json as KeyJson), key: '' } });
    expect(await list()).toHaveLength(1);
  });

  it(`refuses more than ${MOST_KEYS} keys`, async () => {
    const { issue, call, at } = await withRobot();
    const { key } = await issue('robot');
    const stored = ApiKeyRecord.parse(await table.get(apiKeyKey(hashKey(key))));
    // The other keys are written directly, because the endpoint reads all keys of the account for each new one.
    const others = Array.from({ length: MOST_KEYS - 2 }, (_, i) =>
      newKeyWrites({ ...stored, id: newId(stored.createdAt), hash: hashKey(`${key} ${i}`) }),
    );
    await inParallel(others, 4, (writes) => table.transact(writes));
    await issue('robot');
    expect(refusal(await call('POST', at(), { json: { description: 'd' } }))).toEqual([
      400,
      { message: 'There are 100 active API keys, the most there can be. Delete one first' },
    ]);
  });
});

describe('GET …/api-keys', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/service-accounts/${org}/robot/api-keys`, needs: 'reader' });

  it('lists active keys without their secrets, the oldest first', async () => {
    const { issue, list, revoke } = await withRobot();
    const [a, b, c] = [await issue('robot'), await issue('robot', { description: 'b' }), await issue('robot')];
    await revoke(a.id);
    const shown = await list();
    expect(shown.map(({ id }) => id)).toEqual([b.id, c.id]);
    expect(Object.keys(shown[0] ?? {})).toEqual(['id', 'description', 'created_at', 'expires_at', 'last_used_at']);
  });

  it('answers 404 for an unknown account', async () => {
    expect(refusal(await refusing.call('GET', refusing.keysOf('unknown')))).toEqual(NO_ACCOUNT);
  });
});

describe('GET …/api-keys/{key_id}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/service-accounts/${org}/robot/api-keys/${NOBODYS}`,
    needs: 'reader',
  });

  it('answers the key as the list shows it; the last use is stored once an hour', async () => {
    const { issue, tryKey, list, get } = await withRobot();
    const { id, key } = await issue('robot');
    const lastUse = async () => ((await get(id)).json as KeyJson).last_used_at;
    expect(await lastUse()).toBe(0);
    await tryKey(key);
    const first = await lastUse();
    expect(first).toBeGreaterThan(seconds() - 60);
    expect(await list()).toEqual([(await get(id)).json]);
    wait(HOUR / 2);
    await tryKey(key);
    expect(await lastUse()).toBe(first);
    wait(HOUR / 2);
    await tryKey(key);
    expect(await lastUse()).toBeGreaterThan(first);
  });

  it('answers the last use that an earlier version stored with the secret, also after a rotation', async () => {
    const { issue, get, rotate } = await withRobot();
    const { id, key } = await issue('robot');
    const used = seconds() - 5 * HOUR;
    await table.update(apiKeyKey(hashKey(key)), {
      UpdateExpression: 'SET lastUsedAt = :at',
      ExpressionAttributeValues: { ':at': used * 1_000_000 },
    });
    expect((await get(id)).json).toMatchObject({ last_used_at: used });
    expect((await rotate(id)).status).toBe(201);
    expect((await get(id)).json).toMatchObject({ last_used_at: used });
  });

  it('answers a key whose recorded use cannot be read as not used, and revokes it', async () => {
    const { issue, get, revoke } = await withRobot();
    const { id } = await issue('robot');
    await table.put({ ...keyUseKey(id), v: 1, lastUsedAt: 'yesterday' });
    expect((await get(id)).json).toMatchObject({ last_used_at: 0 });
    expect((await revoke(id)).status).toBe(200);
  });

  it.each([NOBODYS, 'x', 'x'.repeat(3000)])('answers 404 for the key %j', async (id) => {
    expect(refusal(await refusing.get(id))).toEqual(NO_KEY);
  });

  it('answers 404 for a key of another account', async () => {
    const { create, issue, call, keysOf, get } = await withRobot();
    await create({ name: 'other', privilege: 'reader' });
    const { id } = await issue('other');
    expect(refusal(await get(id))).toEqual(NO_KEY);
    expect((await call('GET', keysOf('other', `/${id}`))).status).toBe(200);
  });
});
