import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { DENIED, newOrganization, refusal } from '#test/support/admin.ts';
import { type ApiRequest, testApi } from '#test/support/api.ts';
import { uniqueName } from '#test/support/directory.ts';
import { issuerKey, LOOPBACK } from '#test/support/issuer.ts';
import { startProvider, type TestProvider } from '#test/support/sign-in-provider.ts';

const SECRET = 'client: secret+';
const provider: TestProvider = await startProvider({ secret: SECRET, now: () => api.services.clock.now() / 1e6 });
afterAll(() => provider.stop());
const signIn = {
  issuer: provider.url,
  clientId: provider.clientId,
  secret: async () => SECRET,
  scopes: 'openid email',
  groupsClaim: 'groups',
  rules: ['domain', 'group'] as const,
};
const groups = [serviceAccountsGroup, userGroup, organizationsGroup, auditGroup];
const api = await testApi(groups, { guard: addressGuard(LOOPBACK), signIn });
const HOUR = 3600 * 1_000_000;

const domainOf = () => `${uniqueName('d')}.example`.toLowerCase();
const ENDED = [401, { message: 'Invalid or expired session. Sign in again' }];
const cookieName = (cookie: string) => cookie.slice(0, cookie.indexOf('='));
const cookieValue = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1).split(';')[0] ?? '';

/** Begins a sign-in as a browser does, and lets the provider send the browser back. */
async function begin(next = '/') {
  const start = await api.call('GET', '/user/sign-in', { query: `next=${encodeURIComponent(next)}` });
  const [cookie = ''] = start.cookies;
  const answer = await fetch(start.headers['location'] ?? '', { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? 'http://nowhere.example');
  return { start, cookie, sent: `${cookieName(cookie)}=${cookieValue(cookie)}`, query: back.searchParams };
}

const callback = (query: URLSearchParams, cookies: string[]) =>
  api.call('GET', '/user/sign-in/callback', { query: query.toString(), cookies });

/** Signs a person in, and returns what the browser then has. */
async function enter(person: TestProvider['person'], next?: string) {
  provider.person = person;
  const { query, sent } = await begin(next);
  const answer = await callback(query, [sent]);
  const [session = '', csrf = ''] = answer.cookies;
  const cookies = [session, csrf].map((cookie) => `${cookieName(cookie)}=${cookieValue(cookie)}`);
  const headers = { 'sec-fetch-site': 'same-origin', 'x-csrf-token': cookieValue(csrf) };
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { cookies, headers, ...request });
  return { answer, location: answer.headers['location'], call, csrf, session };
}

const problemOf = (location = '') => {
  const url = new URL(location, 'https://api.example');
  return [url.pathname, url.searchParams.get('problem'), url.searchParams.get('reason')];
};
const refusedWith = (problem: string, reason: string | null = null) => ['/-/sign-in', problem, reason];

/** A user whom the operator makes and knows by an e-mail address. */
async function knownUser(email: string) {
  const user = uniqueName('ann');
  await runOperator(api.services, { command: 'create-user', name: user });
  expect(await runOperator(api.services, { command: 'identify-user', user, email })).toMatchObject({ ok: true });
  return user;
}

const putRules = (acme: Awaited<ReturnType<typeof newOrganization>>, rules: unknown, request: ApiRequest = {}) =>
  acme.call('PUT', '/organizations/ORG/sign-in-rules', { json: { rules }, ...request });

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

  it('tells callers who prefer JSON which provider there is', async () => {
    const answer = await api.call('GET', '/user/sign-in', { headers: { accept: 'application/json' } });
    expect(refusal(answer)).toEqual([200, { issuer: provider.url }]);
  });

  it('refuses unknown parameters', async () => {
    expect((await api.call('GET', '/user/sign-in', { query: 'nxt=/' })).status).toBe(400);
  });
});

describe('a person whom the operator knows by an e-mail address', () => {
  it('comes in, in any case of the address, and goes on with the page of the beginning', async () => {
    const domain = domainOf();
    const user = await knownUser(`Ann@${domain}`);
    const acme = await newOrganization(api);
    await acme.put(user, 'member');
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
      { kind: 'sign_in.first', after: { role: 'member', by_rule: false, issuer: provider.url, subject: person.sub } },
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

describe('nobody comes in', () => {
  const domain = domainOf();
  const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
  beforeAll(() => knownUser(person.email));

  it.each([
    ['a person whom nobody let in', { sub: 'stranger', email: `eve@${domain}`, email_verified: true }, 'not_let_in'],
    ['a person without an address', { sub: 'stranger' }, 'not_let_in'],
    ['an address that is not verified', { ...person, email_verified: false }, 'email_not_verified'],
    ['an address of which nothing is said', { ...person, email_verified: undefined }, 'email_not_verified'],
    ['a text in place of true', { ...person, email_verified: 'true' }, 'email_not_verified'],
    ['a letter that looks like another', { ...person, email: `аnn@${domain}` }, 'email_not_verified'],
    [
      'a letter that becomes another in lower case',
      { ...person, email: `ann@${domain}`.replace('e', 'ℯ') },
      'email_not_verified',
    ],
    ['two addresses in one text', { ...person, email: `eve@evil.example,ann@${domain}` }, 'email_not_verified'],
    ['a quoted address', { ...person, email: `"ann"@${domain}` }, 'email_not_verified'],
    ['an address with white space', { ...person, email: `ann@${domain} ` }, 'email_not_verified'],
  ])('with %s', async (_, claims, problem) => {
    const { location, answer, session } = await enter(claims, '/acme');
    expect(problemOf(location)).toEqual(refusedWith(problem));
    expect(new URL(location ?? '', 'https://api.example').searchParams.get('next')).toBe('/acme');
    expect([answer.cookies.length, session]).toEqual([1, expect.stringContaining('__Host-sign-in=;')]);
  });

  it('and the audit log of the organization that a person asked for says so, once an hour', async () => {
    const acme = await newOrganization(api);
    const stranger = { sub: 'stranger', email: `eve@${domain}`, email_verified: true };
    for (const next of [`/${acme.org}`, `/${acme.org}/flows`, '/-/account']) await enter(stranger, next);
    await enter({ sub: 'second' }, `/${acme.org}/flows`);
    const entries = (await acme.audit('kind=sign_in')).map(({ actor, subject, after }) => [actor.kind, subject, after]);
    const facts = { reason: 'not_let_in', issuer: provider.url };
    expect(entries).toEqual([
      ['unknown', { type: 'person', id: null, name: 'second' }, { ...facts, subject: 'second' }],
      [
        'unknown',
        { type: 'person', id: null, name: stranger.email },
        { ...facts, subject: 'stranger', email: stranger.email },
      ],
    ]);
  });

  it.each([
    ['of another audience', { aud: 'another client' }, 'aud'],
    ['of several audiences, which names none', { aud: [provider.clientId, 'another client'] }, 'azp'],
    ['that another client asked for', { azp: 'another client' }, 'azp'],
    ['of another sign-in', { nonce: 'x'.repeat(43) }, 'nonce'],
    ['without a nonce', { nonce: undefined }, 'nonce'],
    ['of another issuer', { iss: 'https://evil.example' }, 'claims'],
    ['that expired', { exp: 1_700_000_000 }, 'expired'],
    ['without a subject', { sub: '' }, 'claims'],
  ])('with a token %s', async (_, wrong, reason) => {
    provider.wrong = wrong;
    const { location } = await enter(person);
    provider.wrong = {};
    expect(problemOf(location)).toEqual(refusedWith('token_refused', reason));
  });

  it('with a token that another key signed', async () => {
    const own = provider.key;
    provider.key = await issuerKey('provider');
    const { location } = await enter(person);
    provider.key = own;
    expect(problemOf(location)).toEqual(refusedWith('token_refused', 'signature'));
  });

  it('with an answer that does not belong to a sign-in of the same browser', async () => {
    provider.person = person;
    const [one, other] = [await begin(), await begin()];
    const changed = (name: string, value: string | undefined) => {
      const query = new URLSearchParams(one.query);
      if (value === undefined) query.delete(name);
      else query.set(name, value);
      return query;
    };
    const answers: [URLSearchParams, string[], string[]][] = [
      [one.query, [], refusedWith('expired') as string[]],
      [one.query, [other.sent], refusedWith('expired', 'state') as string[]],
      [one.query, [one.sent, other.sent], refusedWith('expired') as string[]],
      [one.query, ['__Host-sign-in=x'], refusedWith('expired') as string[]],
      [changed('state', undefined), [one.sent], refusedWith('expired', 'state') as string[]],
      [changed('iss', 'https://evil.example'), [one.sent], refusedWith('token_refused', 'iss') as string[]],
      [changed('code', undefined), [one.sent], refusedWith('provider_failed', 'no_code') as string[]],
      [changed('code', 'guessed'), [one.sent], refusedWith('provider_failed', 'invalid_grant') as string[]],
      [changed('error', 'access_denied'), [one.sent], refusedWith('refused_by_provider', 'access_denied') as string[]],
      [changed('error', '<b>x</b>'), [one.sent], refusedWith('refused_by_provider') as string[]],
      // A code of another sign-in: its challenge belongs to another verifier.
      [
        changed('code', other.query.get('code') ?? ''),
        [one.sent],
        refusedWith('provider_failed', 'invalid_grant') as string[],
      ],
    ];
    for (const [query, cookies, expected] of answers) {
      const answer = await callback(query, cookies);
      expect(problemOf(answer.headers['location']), query.toString()).toEqual(expected);
      expect(answer.cookies.join()).not.toContain('session');
    }
    expect((await callback(one.query, [one.sent])).headers['location']).toBe('/');
    expect(problemOf((await callback(one.query, [one.sent])).headers['location'])).toEqual(
      refusedWith('provider_failed', 'invalid_grant'),
    );
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/api/v2/user',
    '/-/sign-in/callback',
  ])('at another site or endpoint: %s', async (next) => {
    const { location } = await enter(person, next);
    expect(location).toBe('/');
    const { sent, query } = await begin();
    const forged = `${sent.split('.')[0]}.${Buffer.from(next).toString('base64url')}`;
    expect((await callback(query, [forged])).headers['location']).toBe('/');
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

describe('PUT /organizations/{org}/sign-in-rules', () => {
  it('lets people of a domain and of a group in, with the highest role, until the rule is gone', async () => {
    const acme = await newOrganization(api);
    const domain = domainOf();
    const group = `deployers of ${domain}`;
    expect(
      refusal(
        await putRules(acme, [
          { domain, role: 'reader' },
          { group, role: 'admin' },
        ]),
      ),
    ).toEqual([200, 'OK']);
    const email = `Ann+x@${domain}`;
    const reader = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: ['others'] });
    expect((await reader.call('GET', '/user')).json).toMatchObject({
      name: `ann-x~${domain}`,
      organizations: [{ name: acme.org, role: 'reader', sign_in_rules: null }],
    });
    const put = (who: typeof reader) =>
      who.call('POST', `/service-accounts/${acme.org}`, { json: { name: uniqueName('a'), privilege: 'reader' } });
    expect([(await reader.call('GET', `/service-accounts/${acme.org}`)).status, (await put(reader)).status]).toEqual([
      200, 403,
    ]);
    const admin = await enter({ sub: `sub-${domain}`, email, email_verified: true, groups: [group] });
    expect((await put(admin)).status).toBe(201);
    const rules = [
      { domain, role: 'reader' },
      { group, role: 'admin' },
    ];
    expect((await admin.call('GET', '/user')).json).toMatchObject({
      organizations: [{ role: 'admin', sign_in_rules: rules }],
    });
    const onlyGroup = await enter({ sub: `other-${domain}`, groups: group });
    expect((await onlyGroup.call('GET', '/user')).json).toMatchObject({
      name: expect.stringMatching(/^person-[a-f0-9]{6}$/),
    });
    expect(refusal(await reader.call('PUT', `/user/${acme.org}`))).toEqual([200, 'OK']);
    expect((await reader.call('GET', '/user/default-org')).json).toEqual({ default_org_name: acme.org });

    expect(refusal(await putRules(acme, []))).toEqual([200, 'OK']);
    for (const who of [reader, admin, onlyGroup]) {
      expect(refusal(await who.call('GET', `/service-accounts/${acme.org}`))).toEqual(DENIED);
      expect((await who.call('GET', '/user')).json).toMatchObject({ organizations: [], default_org_name: '' });
    }
    const later = await enter({ sub: `sub-${domain}`, email, email_verified: true });
    expect(problemOf(later.location)).toEqual(refusedWith('not_let_in'));
    const entries = (await acme.audit('')).map(({ kind, after }): [string, unknown] => [kind, after]);
    expect(entries.filter(([kind]) => /sign_in/.test(kind))).toEqual([
      ['organization.sign_in_rules_changed', { rules: [] }],
      ['sign_in.first', expect.objectContaining({ role: 'admin', by_rule: true, subject: `other-${domain}` })],
      ['sign_in.first', expect.objectContaining({ role: 'reader', by_rule: true, email: email.toLowerCase() })],
      ['organization.sign_in_rules_changed', { rules }],
    ]);
  });

  it('leaves memberships alone: they win over rules', async () => {
    const acme = await newOrganization(api);
    const domain = domainOf();
    const user = await knownUser(`ann@${domain}`);
    await acme.put(user, 'reader');
    await putRules(acme, [{ domain, role: 'member' }]);
    const { call } = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
    expect((await call('GET', '/user')).json).toMatchObject({ organizations: [{ role: 'reader' }] });
    await acme.dismiss(user);
    expect(
      (await call('POST', `/service-accounts/${acme.org}`, { json: { name: 'a', privilege: 'reader' } })).status,
    ).toBe(201);
    const key = (await call('POST', '/user/api-keys', { json: { description: 'd' } })).json as { key: string };
    expect(await acme.tryKey(key.key)).toEqual(DENIED);
  });

  it('is for admins only, and refuses bad rules field by field', async () => {
    const acme = await newOrganization(api);
    for (const role of ['member', 'snapshotter', 'reader'] as const) {
      expect(refusal(await putRules(acme, [], { key: acme.keys[role] }))).toEqual(DENIED);
    }
    const other = await newOrganization(api);
    expect(refusal(await putRules(acme, [], { key: other.keys.admin }))).toEqual(DENIED);
    const domain = 'd.example';
    const bad: [unknown, string][] = [
      [[{ domain: 'Example.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: '*.example.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: 'example', role: 'reader' }], 'rules[0].domain'],
      [[{ domain: 'exаmple.com', role: 'reader' }], 'rules[0].domain'],
      [[{ domain, role: 'admin' }], 'rules[0].role'],
      [[{ domain, role: 'owner' }], 'rules[0].role'],
      [[{ group: '', role: 'reader' }], 'rules[0].group'],
      [[{ group: 'x'.repeat(257), role: 'reader' }], 'rules[0].group'],
      [[{ role: 'reader' }], 'rules[0].domain'],
      [Array(21).fill({ domain, role: 'reader' }), 'rules'],
      [undefined, 'rules'],
    ];
    for (const [rules, field] of bad) {
      const answer = await putRules(acme, rules, rules === undefined ? { json: {} } : {});
      expect([answer.status, Object.keys((answer.json as { errors: object }).errors)], JSON.stringify(rules)).toEqual([
        400,
        [field],
      ]);
    }
  });
});
