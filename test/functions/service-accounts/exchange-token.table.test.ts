import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '#shared/base/credentials.ts';
import { apiKeyKey } from '#shared/organizations/records/keys.ts';
import { BAD_KEY, refusal, SECRET } from '#test/support/admin.ts';
import { GITHUB_CLAIMS } from '#test/support/ci-claims.ts';
import { issuerKey, KEY_SET, signToken, startIssuer, type TestIssuer } from '#test/support/issuer.ts';
import { AUDIENCE, keyOf, type TrustingOrganization, trustingOrganization, trustsApi } from './trusts-api.ts';

const api = await trustsApi();
const now = () => Math.floor(api.services.clock.now() / 1e6);
const DESCRIPTION = '/.well-known/openid-configuration';

let issuer: TestIssuer;
let acme: TrustingOrganization;
beforeAll(async () => {
  issuer = await startIssuer();
  acme = await trustingOrganization(api);
});
afterAll(() => issuer.stop());

/** A token that the trusts of these tests accept, unless claims say otherwise. */
const aToken = (claims: object = {}, from = issuer) => from.token({ aud: AUDIENCE, ...claims }, now());

/** An organization with one trust. */
async function trusting(fields: object = {}) {
  const organization = await trustingOrganization(api);
  const answer = await organization.putTrust('ci', { issuer: issuer.url, ...fields });
  if (answer.status !== 201) throw new Error(answer.text);
  return organization;
}

describe('POST /token/{org}', () => {
  it('answers a key of the service account that works until its time is over', async () => {
    const acme = await trusting({ minutes: 2 });
    const answer = await acme.exchange(await aToken());
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        access_token: expect.stringMatching(SECRET),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 120,
      },
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    const key = keyOf(answer);
    expect(await acme.tryKey(key)).toMatchObject([200, [{ name: 'ci' }]]);
    api.services.clock.advance(119_000_000);
    expect(await acme.tryKey(key)).toMatchObject([200, {}]);
    api.services.clock.advance(1_000_000);
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    const stored = await api.services.table.get(apiKeyKey(hashKey(key)));
    expect(stored?.['ttl']).toBe(Math.ceil(Number(stored?.['expiresAt']) / 1e6) + 3600);
  });

  it('takes JSON, other parameters of the standard, and the name of a trust', async () => {
    const acme = await trusting();
    const answer = await acme.exchangeJson({
      subject_token: await aToken(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'any',
      trust: 'ci',
    });
    expect(answer.status).toBe(200);
  });

  it('refuses a request that is none of the standard, with the errors of OAuth and of the service', async () => {
    const send = async (more: Record<string, string>) => (await acme.exchange('x', more)).json;
    expect(await send({ grant_type: 'password' })).toEqual({
      error: 'unsupported_grant_type',
      error_description: 'Input payload validation failed',
      message: 'Input payload validation failed',
      errors: { grant_type: expect.stringContaining('token-exchange') },
    });
    const twice = await api.call('POST', `/token/${acme.org}`, {
      text: 'grant_type=a&grant_type=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    expect(twice.json).toMatchObject({
      errors: { grant_type: 'The field occurs more than once', subject_token: 'Field required [input: None]' },
    });
    expect(await send({ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' })).toMatchObject({
      error: 'invalid_request',
      errors: { subject_token_type: expect.any(String) },
    });
  });

  it('gives evidence of the caller to endpoints, and notes the first use', async () => {
    const acme = await trusting({ preset: 'github', claims: { repository: 'acme/web' } });
    await acme.exchange(await aToken(GITHUB_CLAIMS));
    const key = keyOf(await acme.exchange(await aToken(GITHUB_CLAIMS)));
    expect((await acme.call('GET', '/user', { key })).json).toMatchObject({
      name: 'ci',
      credential: { identity: { trust: 'ci', repository: 'acme/web', run_id: '7412583654', actor: 'octocat' } },
    });
    expect((await acme.getTrust('ci')).json).toMatchObject({ first_used_at: expect.closeTo(now(), -1) });
    const entries = await acme.audit('kind=trust.first_used');
    expect(entries).toMatchObject([
      { actor: { kind: 'service-account', name: 'ci' }, after: { repository: 'acme/web', event: 'push' } },
    ]);
  });

  it('gives no key that could outlive the key', async () => {
    const organization = await trustingOrganization(api, 'admin');
    await organization.putTrust('ci', { issuer: issuer.url });
    const key = keyOf(await organization.exchange(await aToken()));
    const issued = { id: (await organization.issue('ci')).id };
    const message = expect.stringContaining('gets no other key and no trust');
    const tries = [
      await organization.call('POST', organization.keysOf('ci'), { key, json: { description: 'd' } }),
      await organization.call('POST', organization.keysOf('ci', `/${issued.id}/rotate`), { key, json: {} }),
      await organization.putTrust('more', { issuer: issuer.url }, { key }),
    ];
    expect(tries.map(refusal)).toEqual(Array(3).fill([403, { message }]));
  });

  it('makes two requests to the issuer for 100 exchanges at once with a cold key set', async () => {
    await using cold = await startIssuer();
    const acme = await trusting({ issuer: cold.url });
    const tokens = await Promise.all(Array.from({ length: 100 }, () => aToken({}, cold)));
    const answers = await Promise.all(tokens.map((token) => acme.exchange(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(new Set(answers.map(keyOf)).size).toBe(100);
    expect(cold.requests).toEqual([DESCRIPTION, KEY_SET]);
    expect(await acme.audit('kind=trust.first_used')).toHaveLength(1);
  });

  it('exchanges a token once, also if it comes several times at once or with another signature', async () => {
    const acme = await trusting();
    const token = await aToken();
    const answers = await Promise.all(Array.from({ length: 5 }, () => acme.exchange(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    const other = await trusting();
    expect(refusal(await other.exchange(otherSignature(token)))).toMatchObject([400, { message: /exchanged before/ }]);
  });
});

/** Returns the second valid signature of ES256, which everybody can compute: `s` becomes `n - s`. */
function otherSignature(token: string): string {
  const [header, claims, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const changed = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return [header, claims, changed.toString('base64url')].join('.');
}

describe('a key ends', () => {
  const withKey = async (fields: object = {}) => {
    const acme = await trusting(fields);
    const key = keyOf(await acme.exchange(await aToken()));
    expect((await acme.tryKey(key))[0]).toBe(200);
    return { acme, key };
  };

  it('with its trust, and does not come back with a trust of the same name', async () => {
    const { acme, key } = await withKey();
    expect((await acme.deleteTrust('ci')).status).toBe(200);
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    await acme.putTrust('ci', { issuer: issuer.url });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
  });

  it('when the trust accepts other tokens, and not when the trust has another description', async () => {
    const { acme, key } = await withKey();
    await acme.putTrust('ci', { issuer: issuer.url, minutes: 5, description: 'x' });
    expect((await acme.tryKey(key))[0]).toBe(200);
    await acme.putTrust('ci', { issuer: issuer.url, claims: { sub: ['someone', 'other'] } });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
  });

  it('with its service account, also where no organization is asked for', async () => {
    const { acme, key } = await withKey();
    await acme.remove('ci');
    expect(refusal(await acme.call('GET', '/user', { key }))).toEqual(BAD_KEY);
    await acme.create({ name: 'ci', privilege: 'member' });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    expect(refusal(await acme.exchange(await aToken()))).toMatchObject([400, { message: /does not exist any more/ }]);
  });

  it('with the session that was started with it', async () => {
    const { acme, key } = await withKey();
    const [cookie = ''] = (await acme.call('POST', '/user/session', { key })).cookies;
    const withSession = () =>
      api.call('GET', '/user', {
        cookies: [cookie.split(';')[0] ?? ''],
        headers: { 'sec-fetch-site': 'same-origin' },
      });
    expect((await withSession()).json).toMatchObject({ credential: { kind: 'session', identity: { trust: 'ci' } } });
    await acme.deleteTrust('ci');
    expect((await withSession()).status).toBe(401);
  });
});

interface BadToken {
  /** What the refusal says, and the reason in the audit log. */
  says: RegExp | string;
  reason: string;
  token?: () => Promise<string>;
  spoil?: (issuer: TestIssuer) => void;
  trust?: object;
}

const unsigned = (header: object, claims: object) =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

/** The tokens that nobody may exchange. Each is refused with a sentence and an audit entry, and gives no key. */
const BAD_TOKENS: Record<string, BadToken & { from?: (own: TestIssuer) => Promise<string> }> = {
  expired: { says: /has expired/, reason: 'expired', from: (own) => aToken({ exp: now() - 31 }, own) },
  'not yet valid': {
    says: /'nbf' is in the future/,
    reason: 'not_yet_valid',
    from: (own) => aToken({ nbf: now() + 40 }, own),
  },
  'made in the future': {
    says: /'iat' is in the future/,
    reason: 'not_yet_valid',
    from: (own) => aToken({ iat: now() + 40, exp: now() + 90 }, own),
  },
  'valid for longer than a day': {
    says: /longer than 24 hours/,
    reason: 'life',
    from: (own) => aToken({ exp: now() + 86_402 }, own),
  },
  'without an end': {
    says: /'exp' of the token is missing/,
    reason: 'claims',
    from: (own) => aToken({ exp: undefined }, own),
  },
  'of another issuer': { says: /No trust/, reason: 'issuer', from: (own) => aToken({ iss: `${own.url}/` }, own) },
  'for another audience': {
    says: /No trust/,
    reason: 'audience',
    from: (own) => aToken({ aud: 'https://other.example.com' }, own),
  },
  'with the algorithm none': {
    says: /should be signed with one of/,
    reason: 'algorithm',
    from: async (own) =>
      `${unsigned({ alg: 'none' }, { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 })}.`,
  },
  'signed with a shared secret, which is the public key': {
    says: /should be signed with one of/,
    reason: 'algorithm',
    from: async (own) => {
      const secret = new TextEncoder().encode(JSON.stringify(own.key.jwk));
      const text = unsigned(
        { alg: 'HS256', kid: 'first' },
        { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 },
      );
      const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
      return `${text}.${Buffer.from(signature).toString('base64url')}`;
    },
  },
  'with an unknown key id': {
    says: /does not have exactly one key/,
    reason: 'unknown_key',
    from: async (own) =>
      signToken(await issuerKey('other'), { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 }),
  },
  'with a key of its own in the header': {
    says: /signature of the token is not one of the issuer/,
    reason: 'signature',
    from: async (own) => {
      const other = await issuerKey('first');
      const claims = { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 };
      return signToken(other, claims, { jwk: other.jwk as never });
    },
  },
  'with changed claims': {
    says: /signature of the token is not one of the issuer/,
    reason: 'signature',
    from: async (own) => {
      const [header, , signature] = (await aToken({ sub: 'other' }, own)).split('.');
      const claims = { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 };
      return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    },
  },
  'with a critical header that nobody knows': {
    says: /no valid JSON Web Token/,
    reason: 'malformed',
    from: async (own) => {
      const [, claims] = (await aToken({}, own)).split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 })).toString(
        'base64url',
      );
      return `${header}.${claims}.AAAA`;
    },
  },
  'whose key set is too large': {
    says: /65536 bytes or more/,
    reason: 'issuer_unavailable',
    spoil: ({ answers }) => answers.set(KEY_SET, (response) => response.end('x'.repeat(70_000))),
  },
  'whose issuer redirects': {
    says: /redirects are not followed/,
    reason: 'issuer_unavailable',
    spoil: ({ answers, url }) =>
      answers.set(DESCRIPTION, (response) => response.writeHead(302, { location: url }).end()),
  },
  'whose key set is at a private address': {
    says: /private, local or reserved/,
    reason: 'issuer_unavailable',
    spoil: ({ answers, url }) =>
      answers.set(DESCRIPTION, (response) =>
        response.end(JSON.stringify({ issuer: url, jwks_uri: 'https://169.254.169.254/' })),
      ),
  },
  'with a claim that continues the bound value': {
    says: /No trust/,
    reason: 'claims',
    from: (own) => aToken({ sub: 'someone-evil' }, own),
  },
  'with a claim in another case': {
    says: /No trust/,
    reason: 'claims',
    from: (own) => aToken({ sub: 'Someone' }, own),
  },
  'with a claim of look-alikes': {
    says: /No trust/,
    reason: 'claims',
    from: (own) => aToken({ sub: 's\u043emeone' }, own),
  },
  'with a claim that is too long': {
    says: /'sub' of the token has more than 1024/,
    reason: 'long_claim',
    trust: { claims: { sub: 's*' } },
    from: (own) => aToken({ sub: `s${'o'.repeat(1024)}` }, own),
  },
};

describe('a token is refused', () => {
  it.each(Object.entries(BAD_TOKENS))('%s', async (_, { says, reason, from, spoil, trust }) => {
    await using own = await startIssuer(issuer.key);
    const acme = await trusting({ issuer: own.url, ...trust });
    spoil?.(own);
    const token = await (from?.(own) ?? aToken({}, own));
    const answer = await acme.exchange(token);
    expect([answer.status, answer.json]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: expect.stringMatching(says),
        message: expect.stringMatching(says),
      },
    ]);
    expect(answer.text).not.toContain(acme.org);
    await acme.exchange(token, { trust: 'ci' });
    const entries = await acme.audit('kind=token');
    expect(entries.at(-1)).toMatchObject({
      kind: 'token.refused',
      actor: { kind: 'unknown', key_id: null },
      subject: { type: 'token', id: null },
      after: { reason },
    });
    expect((await acme.getTrust('ci')).json).toMatchObject({ first_used_at: 0 });
  });

  it('if it is no token, without a word about trusts', async () => {
    for (const text of ['x', 'a.b.c', 'x'.repeat(20_000), unsigned({ alg: 'ES256' }, { sub: 'x' })]) {
      expect((await acme.exchange(text)).json).toMatchObject({
        message: expect.stringMatching(/^The token is refused: The token /),
      });
    }
  });

  it('of an unknown issuer with one read, alike in an organization that does not exist', async () => {
    const token = await aToken({ iss: 'https://unknown.example.com' });
    const answers = [
      await acme.exchange(token),
      await acme.exchange(token, {}, 'nowhere'),
      await acme.exchange(token, { trust: 'ci' }),
    ];
    for (const { status, json } of answers) expect([status, json]).toEqual([answers[0]?.status, answers[0]?.json]);
    await acme.exchange(token);
    expect(api.entries.at(-1)).toMatchObject({ status: 400, aws_calls: 1 });
  });

  it('with one audit entry an hour for each reason and trust, however often it comes', async () => {
    const acme = await trusting();
    for (let i = 0; i < 3; i += 1) await acme.exchange(await aToken({ sub: 'nobody' }));
    await acme.exchange(await aToken({ sub: 'nobody' }), { trust: 'ci' });
    expect(await acme.audit('kind=token')).toMatchObject([
      { after: { reason: 'claims', trust: 'ci', subject: 'nobody', differing: { sub: 'nobody' } } },
      { after: { reason: 'claims' } },
    ]);
    api.services.clock.advance(3_600_000_000);
    await acme.exchange(await aToken({ sub: 'nobody' }));
    expect(await acme.audit('kind=token')).toHaveLength(3);
  });
});
