import { describe, expect, it } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import {
  apiKeyKey,
  principalSessionKey,
  principalSessionList,
  sessionKey,
} from '#shared/organizations/records/keys.ts';
import { adminApi, BAD_KEY, newOrganization, newUser, organizationOf, refusal, UUID } from '#test/support/admin.ts';
import { type SessionJson, signInWith } from './sessions-api.ts';

const api = await adminApi();
const { table, clock } = api.services;

const NO_CREDENTIAL = [401, { message: 'Authentication required' }];
const ENDED = [401, { message: 'Invalid or expired session. Sign in again' }];
const NO_SESSION_WITH_ID = [404, { message: 'Session not found' }];
const HOURS = 3600 * 1_000_000;
const NOBODYS = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';

const signIn = signInWith(api);
const listOf = async (key: string) => (await api.call('GET', '/user/sessions', { key })).json as SessionJson[];

const ENDPOINTS = [
  ['POST', '/user/session'],
  ['DELETE', '/user/session'],
  ['GET', '/user/sessions'],
  ['DELETE', `/user/sessions/${NOBODYS}`],
] as const;

it.each(ENDPOINTS)('%s %s refuses strangers and unknown parameters', async (method, path) => {
  expect(refusal(await api.call(method, path))).toEqual(NO_CREDENTIAL);
  expect(refusal(await api.call(method, path, { key: 'nobody' }))).toEqual(BAD_KEY);
  const { key } = await newUser(api);
  expect(refusal(await api.call(method, path, { key, query: 'next=x' }))).toEqual([
    400,
    expect.objectContaining({ errors: { 'query.next': expect.stringContaining("Unknown parameter 'next'") } }),
  ]);
});

describe('POST /user/session', () => {
  it('sets a cookie that stands for the key, and stores only the hash of its secret', async () => {
    const { key, user, shared } = await newUser(api);
    const { session, cookie, csrfCookie, csrfToken, secret, get } = await signIn(key);
    expect(csrfCookie).toMatch(
      /^__Host-session-csrf=[A-Za-z0-9_-]{43}; SameSite=Strict; Secure; Path=\/; Max-Age=43200$/,
    );
    expect(cookie).toMatch(
      /^__Host-session=des_[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Secure; Path=\/; Max-Age=43200$/,
    );
    const stored = await table.get(sessionKey(hashKey(secret)));
    expect(stored).toMatchObject({ hash: hashKey(secret), ttl: expect.any(Number) });
    for (const hidden of [secret, csrfToken]) expect(JSON.stringify(stored)).not.toContain(hidden);
    expect(session).toEqual({
      id: expect.stringMatching(UUID),
      created_at: expect.any(Number),
      expires_at: session.created_at + 12 * 3600,
      api_key_id: expect.stringMatching(UUID),
      is_current: true,
    });
    expect(await get(`/service-accounts/${shared}`)).toEqual([200, []]);
    expect((await get(`/organizations/${user}/members`))[0]).toBe(200);
    expect(JSON.stringify(api.entries)).not.toContain(secret);
    expect(api.entries.at(-1)).toMatchObject({ session_id: session.id, key_id: session.api_key_id });
  });

  it('takes Basic credentials, and gives a service account a session for its own organization', async () => {
    const acme = await newOrganization(api);
    const other = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    const { key } = await acme.issue('robot');
    const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    expect((await api.call('POST', '/user/session', { headers: { authorization } })).status).toBe(201);
    const { get, session } = await signIn(key);
    expect((await get(`/service-accounts/${acme.org}`))[0]).toBe(200);
    expect((await get(`/service-accounts/${other.org}`))[0]).toBe(403);
    expect((await get('/user/api-keys'))[0]).toBe(403);
    expect(await acme.audit('kind=session')).toMatchObject([
      { kind: 'session.started', actor: { name: 'robot' } },
      { kind: 'session.started', subject: { type: 'session', name: 'robot' } },
    ]);
    expect((await acme.audit('kind=session'))[0]?.subject.id).toBe(session.id);
  });

  it('ends with a key that has less than 12 hours left', async () => {
    const { key } = await newUser(api);
    const expires_at = Math.floor(clock.now() / 1_000_000) + 3600;
    const issued = await api.call('POST', '/user/api-keys', { key, json: { description: 'd', expires_at } });
    const { session, cookie } = await signIn((issued.json as { key: string }).key);
    expect(session.expires_at).toBe(expires_at);
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeLessThanOrEqual(3600);
  });

  it('is refused with a session, and with a secret that a rotation replaced', async () => {
    const { key } = await newUser(api);
    const { call, session } = await signIn(key);
    expect(refusal(await call('POST', '/user/session'))).toEqual([
      403,
      { message: 'A session cannot start another session. Send an API key in the Authorization header' },
    ]);
    await api.call('POST', `/user/api-keys/${session.api_key_id}/rotate`, { key, text: 'null' });
    expect(refusal(await api.call('POST', '/user/session', { key }))).toEqual([
      403,
      { message: 'A rotation replaced this secret. Start the session with the new secret of the API key' },
    ]);
  });

  it('ends the oldest session of a principal that has 50', async () => {
    const { key, user } = await newUser(api);
    const first = await signIn(key);
    const { id } = (await new Directory(table).user(user)) ?? { id: '' };
    const [{ pk: _, sk: __, ...listed } = { pk: '', sk: '' }] = await table.query({ pk: principalSessionList(id) });
    const more = Array.from({ length: 49 }, () => newId(clock.now()));
    await table.putMany(more.map((session) => ({ ...listed, ...principalSessionKey(id, session), id: session })));
    expect(await first.status()).toBe(200);
    const last = await signIn(key);
    expect(await listOf(key)).toHaveLength(50);
    expect([await first.status(), await last.status()]).toEqual([401, 200]);
    const personal = organizationOf(api, user, { admin: key });
    expect((await personal.audit('kind=session.ended')).map(({ subject }) => subject.id)).toEqual([first.session.id]);
  });
});

describe('the end of a session', () => {
  it('comes after 12 hours, and the session is then not listed', async () => {
    const { key } = await newUser(api);
    const { status } = await signIn(key);
    clock.advance(12 * HOURS - 60_000_000);
    expect(await status()).toBe(200);
    clock.advance(60_000_000);
    expect(await status()).toBe(401);
    expect(await listOf(key)).toEqual([]);
  });

  it('comes with DELETE /user/session at once, which deletes the cookie and is in the audit log', async () => {
    const { key, user } = await newUser(api);
    const { call, get, session } = await signIn(key);
    const answer = await call('DELETE', '/user/session');
    expect(refusal(answer)).toEqual([200, 'ended']);
    expect(answer.cookies).toEqual([
      '__Host-session=; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=0',
      '__Host-session-csrf=; SameSite=Strict; Secure; Path=/; Max-Age=0',
    ]);
    expect(await get('/user')).toEqual(ENDED);
    const entries = await organizationOf(api, user, { admin: key }).audit('kind=session');
    expect(entries).toMatchObject([
      { kind: 'session.ended', subject: { type: 'session', id: session.id, name: user }, after: null },
      {
        kind: 'session.started',
        actor: { name: user, key_id: session.api_key_id },
        after: { api_key_id: session.api_key_id, expires_at: session.expires_at },
      },
    ]);
  });

  it('is not there for a request without a session', async () => {
    const { key } = await newUser(api);
    expect(refusal(await api.call('DELETE', '/user/session', { key }))).toEqual([
      404,
      { message: 'This request has no session. Only a request with the cookie of a session has one' },
    ]);
  });

  it.each([
    ['is revoked', 'DELETE', ''],
    ['is rotated', 'POST', '/rotate'],
  ])('comes when its key %s', async (_, method, path) => {
    const { key } = await newUser(api);
    const issued = (await api.call('POST', '/user/api-keys', { key, json: { description: 'd' } })).json as {
      id: string;
      key: string;
    };
    const { get } = await signIn(issued.key);
    expect(await listOf(key)).toHaveLength(1);
    await api.call(method, `/user/api-keys/${issued.id}${path}`, { key, text: 'null' });
    expect(await get('/user')).toEqual(ENDED);
    expect(await listOf(key)).toEqual([]);
  });

  it('comes with the end of its service account', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    const { get } = await signIn((await acme.issue('robot')).key);
    await acme.remove('robot');
    expect(await get('/user')).toEqual(ENDED);
    await acme.create({ name: 'robot', privilege: 'reader' });
    expect(await listOf((await acme.issue('robot')).key)).toEqual([]);
  });

  it('reaches other functions within 30 seconds', async () => {
    const { key } = await newUser(api);
    const { secret, status, session } = await signIn(key);
    expect(await status()).toBe(200);
    // Another function revokes the key of the session.
    await table.update(apiKeyKey(hashKey(key)), {
      UpdateExpression: 'SET revoked = :yes',
      ExpressionAttributeValues: { ':yes': true },
    });
    clock.advance(20_000_000);
    expect(await status()).toBe(200);
    clock.advance(10_000_000);
    expect(await status()).toBe(401);
    expect(session.is_current).toBe(true);
    expect(await table.get(sessionKey(hashKey(secret)))).toBeDefined();
  });
});

describe('GET and DELETE /user/sessions', () => {
  it('list the own sessions, and end each of them', async () => {
    const { key } = await newUser(api);
    const stranger = await newUser(api);
    const [first, second] = [await signIn(key), await signIn(key)];
    const seen = (await first.call('GET', '/user/sessions')).json as SessionJson[];
    expect(seen).toEqual([first.session, { ...second.session, is_current: false }]);
    expect((await listOf(key)).map(({ is_current }) => is_current)).toEqual([false, false]);

    const end = (id: string, by = key) => api.call('DELETE', `/user/sessions/${id}`, { key: by });
    expect(await listOf(stranger.key)).toEqual([]);
    for (const id of [NOBODYS, 'x', 'x'.repeat(3000)]) expect(refusal(await end(id))).toEqual(NO_SESSION_WITH_ID);
    expect(refusal(await end(second.session.id, stranger.key))).toEqual(NO_SESSION_WITH_ID);

    const ended = await first.call('DELETE', `/user/sessions/${second.session.id}`);
    expect([...refusal(ended), ended.cookies]).toEqual([200, 'ended', []]);
    expect([await first.status(), await second.status()]).toEqual([200, 401]);
    expect(refusal(await end(second.session.id))).toEqual(NO_SESSION_WITH_ID);
    const own = await first.call('DELETE', `/user/sessions/${first.session.id}`);
    expect(own.cookies).toEqual([expect.stringContaining('Max-Age=0'), expect.stringContaining('Max-Age=0')]);
    expect(await first.status()).toBe(401);
  });
});
