import { afterAll, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { signInWith } from '#test/functions/user/sessions-api.ts';
import { cookieValue, domainOf, problemOf, refusedWith, signInApi } from '#test/functions/user/sign-in-api.ts';
import { DENIED, newOrganization, refusal } from '#test/support/admin.ts';

const { api, provider, begin, enter, knownUser } = await signInApi();
afterAll(() => provider.stop());
const HOUR = 3600 * 1_000_000;
const ENDED = [401, { message: 'Invalid or expired session. Sign in again' }];

describe('GET /user/sign-in', () => {
  it('sends the browser to the provider with a state, a nonce and a challenge, which a cookie belongs to', async () => {
    const { start, cookie } = await begin('/acme/flows');
    const location = new URL(start.headers['location'] ?? '');
    expect([start.status, start.text, location.origin + location.pathname]).toEqual([
      302,
      '',
      `${provider.url}/authorize`,
    ]);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: 'https://api.example/api/v2/user/sign-in/callback',
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(cookie).toMatch(/^__Host-sign-in=[\w-]{43}\.[\w-]*; HttpOnly; SameSite=Lax; Secure; Path=\/; Max-Age=600$/);
    expect(location.href).not.toContain(cookieValue(cookie).slice(0, 43));
  });

  it('comes back to the address of the setting, whatever address the browser claims', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const { headers: answered, cookies } = await api.call('GET', '/user/sign-in', { query: 'next=%2F', headers });
    const location = new URL(answered['location'] ?? '');
    expect(location.searchParams.get('redirect_uri')).toBe('https://api.example/api/v2/user/sign-in/callback');
    expect(cookies).toEqual([expect.stringMatching(/^__Host-sign-in=.*; Secure; /)]);
  });

  it('names to callers who prefer JSON which provider there is', async () => {
    const answer = await api.call('GET', '/user/sign-in', { headers: { accept: 'application/json' } });
    expect(refusal(answer)).toEqual([200, { issuer: provider.url }]);
  });

  it('refuses unknown parameters', async () => {
    expect((await api.call('GET', '/user/sign-in', { query: 'nxt=/' })).status).toBe(400);
  });
});

describe('a person whom the operator knows by an e-mail address', () => {
  it('signs in with any case of the address, and returns to the page on which the sign-in began', async () => {
    const domain = domainOf();
    const user = await knownUser(`Ann@${domain}`);
    const acme = await newOrganization(api);
    await acme.enroll(user, 'member');
    const person = { sub: `sub-${domain}`, email: `ANN@${domain}`, email_verified: true };
    const { answer, location, call, session, csrf } = await enter(person, `/${acme.org}/flows?page=2#x`);
    expect([answer.status, location]).toEqual([302, `/${acme.org}/flows?page=2#x`]);
    expect(session).toMatch(
      /^__Host-session=des_[\w-]{43}; HttpOnly; SameSite=Strict; Secure; Path=\/; Max-Age=28800$/,
    );
    expect(csrf).toMatch(/^__Host-session-csrf=[\w-]{43}; SameSite=Strict; Secure; Path=\/; Max-Age=28800$/);
    expect(answer.cookies[2]).toBe('__Host-sign-in=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0');
    expect((await call('GET', '/user')).json).toMatchObject({
      name: user,
      kind: 'user',
      organizations: [{ name: acme.org, role: 'member', sign_in_rules: null }],
      credential: { kind: 'session', api_key_id: null },
    });
    const account = { json: { name: 'made', privilege: 'member' } };
    expect((await call('POST', `/service-accounts/${acme.org}`, account)).status).toBe(201);
    const stolen = { ...account, headers: { 'sec-fetch-site': 'same-origin' } };
    expect((await call('POST', `/service-accounts/${acme.org}`, stolen)).status).toBe(403);
    expect((await acme.audit('')).filter(({ actor }) => actor.name === user)).toMatchObject([
      { kind: 'service_account.created', actor: { key_id: null } },
      { kind: 'sign_in.first', after: { role: 'member', issuer: provider.url, subject: person.sub } },
    ]);
    await acme.dismiss(user);
    expect(refusal(await call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
  });

  it('is known by the subject from then on, whatever the address', async () => {
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    await enter(person);
    const again = await enter({ ...person, email: `ann.new@${domain}`, email_verified: false });
    expect((await again.call('GET', '/user')).json).toMatchObject({ name: user });
    const other = await enter({ ...person, sub: 'the next owner of the address' });
    expect(problemOf(other.location)).toEqual(refusedWith('other_person'));
    await runOperator(api.services, { command: 'identify-user', user, email: `ann@${domain}` });
    const next = await enter({ ...person, sub: 'the next owner of the address' });
    expect((await next.call('GET', '/user')).json).toMatchObject({ name: user });
  });

  it('stays out, and is out, when the operator says that the user is known by nothing', async () => {
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
    const { call } = await enter(person);
    const out = await runOperator(api.services, { command: 'identify-user', user });
    expect(out).toMatchObject({ message: `The user '${user}' cannot sign in`, ended_sessions: 1 });
    api.services.clock.advance(30_000_000);
    expect(refusal(await call('GET', '/user'))).toEqual(ENDED);
    expect(problemOf((await enter(person)).location)).toEqual(refusedWith('not_let_in'));
  });

  it('keeps personal keys when another person gets the name, unless the operator ends them', async () => {
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    await runOperator(api.services, { command: 'create-organization', name: user, personal: true });
    const { call } = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
    const issue = async () =>
      ((await call('POST', '/user/api-keys', { json: { description: 'd' } })).json as { key: string }).key;
    const [first, second] = [await issue(), await issue()];
    const session = await signInWith(api)(first);
    const identify = (more: object = {}) =>
      runOperator(api.services, { command: 'identify-user', user, email: `bob@${domain}`, ...more });
    expect(await identify()).toEqual({
      ok: true,
      message: `The user '${user}' signs in as 'bob@${domain}'. The user still has API keys (2) and sessions of these keys (1). To end them, repeat the command with --end-keys`,
      email: `bob@${domain}`,
      keys: 2,
      sessions: 1,
      ended_keys: 0,
      ended_sessions: 1,
    });
    api.services.clock.advance(30_000_000);
    expect([(await call('GET', '/user')).status, await session.status()]).toEqual([401, 200]);
    const others = await newOrganization(api);
    expect(await identify({ end_keys: true })).toMatchObject({
      message: `The user '${user}' signs in as 'bob@${domain}'`,
      keys: 0,
      sessions: 0,
      ended_keys: 2,
      ended_sessions: 1,
    });
    api.services.clock.advance(30_000_000);
    const statuses = await Promise.all([first, second].map((key) => api.call('GET', '/user', { key })));
    expect([...statuses.map(({ status }) => status), await session.status()]).toEqual([401, 401, 401]);
    expect((await others.tryKey(others.keys.admin))[0]).toBe(200);
    await runOperator(api.services, {
      command: 'add-member',
      organization: user,
      user: `${others.org}-admin`,
      role: 'admin',
    });
    const log = await api.call('GET', `/audit/${user}`, { key: others.keys.admin, query: 'kind=api_key.revoked' });
    expect(log.json).toMatchObject({ entries: [{ actor: { kind: 'operator' } }, { actor: { kind: 'operator' } }] });
  });

  it('has an address or a subject of its own', async () => {
    const domain = domainOf();
    await knownUser(`ann@${domain}`);
    const user = await knownUser(`bob@${domain}`);
    const identify = (more: object) => runOperator(api.services, { command: 'identify-user', user, ...more });
    expect(await identify({ email: `Ann@${domain}` })).toMatchObject({
      ok: false,
      message: expect.stringContaining('Another user'),
    });
    expect(await identify({ email: 'ann' })).toMatchObject({ ok: false, message: expect.stringContaining('email: ') });
    expect(await identify({ subject: 's' })).toMatchObject({
      ok: false,
      message: 'issuer: Give the issuer of the subject',
    });
    expect(await identify({ issuer: provider.url, subject: `s-${domain}` })).toMatchObject({ ok: true });
    const { call } = await enter({ sub: `s-${domain}` });
    expect((await call('GET', '/user')).json).toMatchObject({ name: user });
  });
});

describe('the session of a sign-in', () => {
  it('lasts an hour, is renewed up to 8 hours, is listed, and can be ended', async () => {
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    const { call } = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
    const status = async () => (await call('GET', '/user')).status;
    const renew = async () => refusal(await call('POST', '/user/session'));
    api.services.clock.advance(HOUR - 60_000_000);
    expect([await status(), await renew()]).toEqual([200, [200, expect.objectContaining({ is_current: true })]]);
    for (const _ of Array(7)) {
      api.services.clock.advance(HOUR - 60_000_000);
      expect((await renew())[0]).toBe(200);
    }
    const [, last] = (await renew()) as [number, { created_at: number; expires_at: number; api_key_id: null }];
    expect(last.expires_at - last.created_at).toBe(8 * 3600);
    expect(last.api_key_id).toBeNull();
    api.services.clock.advance(HOUR);
    expect([await status(), await renew()]).toEqual([401, ENDED]);

    const second = await enter({ sub: `sub-${domain}` });
    const third = await enter({ sub: `sub-${domain}` });
    const listed = (await third.call('GET', '/user/sessions')).json as { id: string; is_current: boolean }[];
    expect(listed.map(({ is_current }) => is_current)).toEqual([false, true]);
    expect(refusal(await third.call('DELETE', `/user/sessions/${listed[0]?.id}`))).toEqual([200, 'ended']);
    expect((await second.call('GET', '/user')).status).toBe(401);
    expect(refusal(await third.call('DELETE', '/user/session'))).toEqual([200, 'ended']);
    expect((await third.call('GET', '/user')).status).toBe(401);
    expect(api.entries.filter(({ principal }) => principal === user).at(-1)).toMatchObject({ key_id: null });
  });
});
