import { describe, expect, it } from 'vitest';
import { hashKey } from '#shared/callers/credentials.ts';
import { sessionKey } from '#shared/organizations/records/keys.ts';
import { adminApi, BAD_KEY, newOrganization, newUser, refusal } from '#test/support/admin.ts';
import { signInWith } from './sessions-api.ts';

const api = await adminApi();
const { table } = api.services;
const signIn = signInWith(api);
const ENDED = [401, { message: 'Invalid or expired session. Sign in again' }];
const OTHER_SITE = [403, { message: expect.stringContaining('accepted only from pages of this service') }];

describe('the token against forgery', () => {
  const NO_TOKEN = [403, { message: expect.stringContaining('need its token in the header X-CSRF-Token') }];

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is needed for %s, also by who has the cookie', async (method) => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader', description: 'before' });
    const { call, get, sent } = await signIn(acme.keys.admin);
    const other = await signIn(acme.keys.admin);
    const path = {
      POST: `/service-accounts/${acme.org}`,
      PUT: `/organizations/${acme.org}/experimental_features`,
      PATCH: `/service-accounts/${acme.org}/robot`,
      DELETE: `/service-accounts/${acme.org}/robot`,
    }[method];
    const json = { name: 'made', privilege: 'reader', description: 'after', experimental_features_enabled: false };
    for (const token of [undefined, '', 'x', other.csrfToken, hashKey(other.csrfToken)]) {
      const headers = { 'sec-fetch-site': 'same-origin', ...(token !== undefined && { 'x-csrf-token': token }) };
      const stolen = { cookies: [sent], headers, json };
      expect(refusal(await call(method, path ?? '', stolen))).toEqual(NO_TOKEN);
    }
    expect(await get(`/service-accounts/${acme.org}`)).toMatchObject([200, [{ name: 'robot', description: 'before' }]]);
    expect((await call(method, path ?? '', { json })).status).toBeLessThan(300);
  });

  it('is missing in a session of an earlier release, which can only read', async () => {
    const { key } = await newUser(api);
    const { call, secret, status } = await signIn(key);
    await table.update(sessionKey(hashKey(secret)), { UpdateExpression: 'REMOVE csrf' });
    expect(await status()).toBe(200);
    expect(refusal(await call('DELETE', '/user/session'))).toEqual(NO_TOKEN);
  });
});

describe('requests of other sites', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('are refused for %s and change nothing', async (method) => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader', description: 'before' });
    const { call, get } = await signIn(acme.keys.admin);
    const path =
      method === 'PUT' ? `/organizations/${acme.org}/experimental_features` : `/service-accounts/${acme.org}`;
    const full = method === 'PATCH' || method === 'DELETE' ? `${path}/robot` : path;
    const form = { 'content-type': 'text/plain', origin: 'https://evil.example' };
    const others: Record<string, string>[] = [
      { ...form, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      { ...form, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      form,
      {},
    ];
    for (const headers of others) {
      const answer = await call(method, full, {
        headers,
        text: '{"name":"made","privilege":"reader","description":"x"}',
      });
      expect(refusal(answer)).toEqual(OTHER_SITE);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect(await get(`/service-accounts/${acme.org}`)).toMatchObject([200, [{ name: 'robot', description: 'before' }]]);
  });

  it('requests of other sites with a key in Authorization are answered as ever, whatever cookies they have', async () => {
    const { key } = await newUser(api);
    const { sent } = await signIn(key);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await api.call('GET', '/user', { key, headers, cookies: [sent, sent] })).status).toBe(200);
    expect(refusal(await api.call('GET', '/user', { key: 'nobody', headers, cookies: [sent] }))).toEqual(BAD_KEY);
  });

  it('get nothing with a key as cookie or with a session as key', async () => {
    const { key } = await newUser(api);
    const { secret } = await signIn(key);
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect(refusal(await api.call('GET', '/user', { key: secret }))).toEqual(BAD_KEY);
    const cookies = [`__Host-session=des_${key.padEnd(43, 'x').slice(0, 43)}`];
    expect(refusal(await api.call('GET', '/user', { headers, cookies }))).toEqual(ENDED);
  });
});
