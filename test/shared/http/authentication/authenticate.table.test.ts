import { beforeAll, describe, expect, test } from 'vitest';
import type { PrincipalId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { apiKeyKey, keyUseKey, memberKey } from '#shared/organizations/records/keys.ts';
import { giveRole } from '#shared/organizations/records/members.ts';
import { setFeatures } from '#shared/organizations/records/organization-fields.ts';
import type { Table } from '#shared/table/table.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { call } from '#test/support/gateway.ts';
import { testId } from '#test/support/ids.ts';
import { thingsOn } from '#test/support/records/things.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
const setup = () => thingsOn(table);

describe('who may call', () => {
  test('a member with the role gets the answer, and the request is logged without secrets', async () => {
    const { services, get, entries } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    const answer = await get(`/api/v2/things/${name}/x`, keys.reader);
    expect(answer).toMatchObject({ status: 200, json: { thing: 'x', caller: `${name}-reader`, role: 'reader' } });
    expect(answer.headers).toMatchObject({ 'x-request-id': 'request-1', 'content-type': 'application/json' });
    expect(entries).toEqual([
      expect.objectContaining({
        message: 'request',
        request_id: 'request-1',
        route: 'GET /things/{org}/{thing}',
        organization: name,
        principal: `${name}-reader`,
        status: 200,
        // The state of the table, the key, the organization, the membership, the use of the key, and the handler's read.
        aws_calls: 6,
      }),
    ]);
    expect(JSON.stringify(entries)).not.toContain(keys.reader);
  });

  test('Basic credentials carry the key as user name, or as password without one', async () => {
    const { services, handler } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    for (const pair of [`${keys.reader}:`, `${keys.reader}:x`, `:${keys.reader}`]) {
      const authorization = `basic ${Buffer.from(pair).toString('base64')}`;
      const answer = await call(handler, { path: `/api/v2/things/${name}/x`, headers: { authorization } });
      expect(answer.status).toBe(200);
    }
  });

  test('a request without a credential is refused, and all bad keys get the same answer', async () => {
    const { services, get, wait } = setup();
    const { name, keys } = await organizationWith(services, ['reader', 'member']);
    const path = `/api/v2/things/${name}/x`;
    expect(await get(path)).toMatchObject({ status: 401, json: { message: 'Authentication required' } });
    await table.update(apiKeyKey(hashKey(keys.reader)), {
      UpdateExpression: 'SET expiresAt = :at',
      ExpressionAttributeValues: { ':at': services.clock.now() },
    });
    await table.update(apiKeyKey(hashKey(keys.member)), {
      UpdateExpression: 'SET revoked = :yes',
      ExpressionAttributeValues: { ':yes': true },
    });
    wait(1);
    const answers = [await get(path, 'unknown'), await get(path, keys.reader), await get(path, keys.member)];
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(answer).toMatchObject({ status: 401, json: { message: 'Invalid or expired API key' } });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="api", Basic realm="api"');
    }
  });

  test('an unknown organization and an organization of others get the same answer', async () => {
    const { services, get } = setup();
    const own = await organizationWith(services, ['admin']);
    const other = await organizationWith(services, ['admin']);
    const answers = await Promise.all(
      [other.name, uniqueName('nowhere'), 'x'.repeat(3000), 'a b'].map((org) =>
        get(`/api/v2/things/${org}/x`, own.keys.admin),
      ),
    );
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(answer).toMatchObject({
        status: 403,
        json: { message: "You don't have permission to access this resource" },
      });
    }
  });

  test('the checks come in order: key, organization, feature, role, request, resource', async () => {
    const { services, handler, get } = setup();
    const off = await organizationWith(services, ['snapshotter'], []);
    const on = await organizationWith(services, ['snapshotter']);
    expect(await get(`/api/v2/things/${off.name}/BAD`, on.keys.snapshotter)).toMatchObject({ status: 403 });
    expect((await get(`/api/v2/things/${off.name}/BAD`, off.keys.snapshotter)).json).toEqual({ message: 'Forbidden' });
    const denied = await call(handler, {
      method: 'POST',
      path: `/api/v2/things/${on.name}/new`,
      key: on.keys.snapshotter,
      body: '{',
    });
    expect(denied.json).toEqual({ message: "You don't have permission to access this resource" });
    expect(await get(`/api/v2/things/${on.name}/BAD`, on.keys.snapshotter)).toMatchObject({
      status: 400,
      json: { errors: { thing: "String should match pattern '^[a-z]+$' [input: BAD]" } },
    });
    expect(await get(`/api/v2/things/${on.name}/missing`, on.keys.snapshotter)).toMatchObject({
      status: 404,
      json: { message: 'Flow not found' },
    });
  });

  test('any valid key may call an endpoint without an organization', async () => {
    const { services, get } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    expect((await get('/api/v2/user', keys.reader)).json).toBe(`${name}-reader`);
    expect((await get('/api/v2/user')).status).toBe(401);
  });

  test('a service account\u2019s key works in its own organization only', async () => {
    const { services, get } = setup();
    const [own, other] = [await organizationWith(services, ['admin']), await organizationWith(services, ['admin'])];
    const directory = new Directory(table);
    const [home, away] = await Promise.all([directory.organization(own.name), directory.organization(other.name)]);
    if (!home || !away) throw new Error('The organizations are not there');
    const principal = {
      kind: 'service-account' as const,
      id: testId<PrincipalId>('sa-1'),
      name: 'robot',
      org: home.id,
    };
    const stamp = { at: services.clock.now(), actor: OPERATOR };
    for (const org of [home.id, away.id]) await giveRole(table, org, principal, 'admin', stamp);
    const secret = uniqueName('robot-key');
    await directory.addKey({
      id: 'k-1',
      hash: hashKey(secret),
      principal,
      description: 'd',
      createdAt: micros(0),
      expiresAt: micros(0),
    });
    expect((await get(`/api/v2/things/${own.name}/x`, secret)).status).toBe(200);
    expect((await get(`/api/v2/things/${other.name}/x`, secret)).status).toBe(403);
  });
});

describe('what authentication remembers', () => {
  test('a key is read again after 30 seconds', async () => {
    const { services, get, wait } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    const path = `/api/v2/things/${name}/x`;
    expect((await get(path, keys.reader)).status).toBe(200);
    const revoke = { UpdateExpression: 'SET revoked = :yes', ExpressionAttributeValues: { ':yes': true } };
    await table.update(apiKeyKey(hashKey(keys.reader)), revoke);
    wait(29);
    expect((await get(path, keys.reader)).status).toBe(200);
    wait(1);
    expect((await get(path, keys.reader)).status).toBe(401);
  });

  test('memberships and features are read again after 30 seconds', async () => {
    const { services, get, wait } = setup();
    const { name, keys } = await organizationWith(services, ['reader', 'admin']);
    const path = `/api/v2/things/${name}/x`;
    await Promise.all([get(path, keys.reader), get(path, keys.admin)]);
    const directory = new Directory(table);
    const [org, user] = await Promise.all([directory.organization(name), directory.user(`${name}-reader`)]);
    if (!org || !user) throw new Error('The organization is not there');
    await table.write({ remove: memberKey(org.id, user.id) });
    await setFeatures(table, org, ['evaluations'], { at: services.clock.now(), actor: OPERATOR });
    expect((await get(path, keys.reader)).status).toBe(200);
    wait(31);
    expect((await get(path, keys.reader)).json).toMatchObject({ message: expect.stringContaining('permission') });
    expect((await get(path, keys.admin)).json).toEqual({ message: 'Forbidden' });
  });

  test('an unknown key is forgotten after 5 seconds', async () => {
    const { services, get, wait } = setup();
    const { name } = await organizationWith(services, []);
    const key = uniqueName('late');
    const path = `/api/v2/things/${name}/x`;
    expect((await get(path, key)).status).toBe(401);
    const user = await new Directory(table).createUser({
      id: testId('u-late'),
      name: uniqueName('late-user'),
      createdAt: micros(0),
    });
    const principal = { kind: 'user' as const, id: user.record.id, name: user.record.name };
    await new Directory(table).addKey({
      id: 'k-late',
      hash: hashKey(key),
      principal,
      description: 'd',
      createdAt: micros(0),
      expiresAt: micros(0),
    });
    wait(4);
    expect((await get(path, key)).status).toBe(401);
    wait(1);
    expect((await get(path, key)).status).toBe(403);
  });

  test('the use of a key is recorded once an hour', async () => {
    const { services, get, wait, entries } = setup();
    const { name, keys } = await organizationWith(services, ['reader']);
    const path = `/api/v2/things/${name}/x`;
    const stored = await new Directory(table).apiKey(hashKey(keys.reader));
    const lastUse = async () => (await table.get(keyUseKey(stored?.id ?? '')))?.['lastUsedAt'] as number | undefined;
    expect(await lastUse()).toBeUndefined();
    await get(path, keys.reader);
    const first = await lastUse();
    expect(first).toBeGreaterThan(0);
    wait(60);
    await get(path, keys.reader);
    expect(await lastUse()).toBe(first);
    wait(3600);
    await get(path, keys.reader);
    expect(await lastUse()).toBeGreaterThan(first ?? 0);
    expect(await new Directory(table).apiKey(hashKey(keys.reader))).toEqual(stored);
    expect(entries.every(({ message }) => message === 'request')).toBe(true);
  });
});
