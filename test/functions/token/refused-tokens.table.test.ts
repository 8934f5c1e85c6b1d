import { afterAll, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  DESCRIPTION,
  exchangeApi,
  trustingOrganization,
} from '#test/functions/service-accounts/trusts-api.ts';
import { issuerKey, KEY_SET, signToken, startIssuer, type TestIssuer } from '#test/support/identity/issuer.ts';

const { api, now, issuer, aToken, trusting } = await exchangeApi();
const acme = await trustingOrganization(api);
afterAll(() => issuer.stop());

interface BadToken {
  /** What the refusal says, and the reason in the audit log. A token that is not signed gets the one sentence. */
  says: RegExp | string;
  reason: string;
  /** What only the audit log says. */
  why?: RegExp;
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
    says: /No trust/,
    why: /should be signed with one of/,
    reason: 'algorithm',
    from: async (own) =>
      `${unsigned({ alg: 'none' }, { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 })}.`,
  },
  'signed with a shared secret, which is the public key': {
    says: /No trust/,
    why: /should be signed with one of/,
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
    says: /No trust/,
    why: /does not have exactly one key/,
    reason: 'unknown_key',
    from: async (own) =>
      signToken(await issuerKey('other'), { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 }),
  },
  'with a key of its own in the header': {
    says: /No trust/,
    why: /signature of the token is not one of the issuer/,
    reason: 'signature',
    from: async (own) => {
      const other = await issuerKey('first');
      const claims = { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 };
      return signToken(other, claims, { jwk: other.jwk as never });
    },
  },
  'with changed claims': {
    says: /No trust/,
    why: /signature of the token is not one of the issuer/,
    reason: 'signature',
    from: async (own) => {
      const [header, , signature] = (await aToken({ sub: 'other' }, own)).split('.');
      const claims = { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 };
      return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    },
  },
  'with a critical header that nobody knows': {
    says: /No trust/,
    why: /no valid JSON Web Token/,
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
    says: /No trust/,
    why: /65536 bytes or more/,
    reason: 'issuer_unavailable',
    spoil: ({ answers }) => answers.set(KEY_SET, (response) => response.end('x'.repeat(70_000))),
  },
  'whose issuer redirects': {
    says: /No trust/,
    why: /redirects are not followed/,
    reason: 'issuer_unavailable',
    spoil: ({ answers, url }) =>
      answers.set(DESCRIPTION, (response) => response.writeHead(302, { location: url }).end()),
  },
  'whose key set is at a private address': {
    says: /No trust/,
    why: /private, local or reserved/,
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
  it.each(Object.entries(BAD_TOKENS))('%s', async (_, { says, why, reason, from, spoil, trust }) => {
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
      after: { reason, ...(why && { why: expect.stringMatching(why) }) },
    });
    expect((await acme.getTrust('ci')).json).toMatchObject({ first_used_at: 0 });
  });

  it('a token is refused with the same bytes and headers, until its signature, its audience and its claims are right', async () => {
    await using own = await startIssuer(issuer.key);
    await using silent = await startIssuer(issuer.key);
    silent.answers.set(DESCRIPTION, (response) => response.writeHead(500).end());
    const acme = await trusting({ issuer: own.url });
    await acme.putTrust('broken', { issuer: silent.url });
    const other = await issuerKey('other');
    const claims = { iss: own.url, sub: 'someone', aud: AUDIENCE, iat: now(), exp: now() + 60 };
    const made = (from: object, key = own.key) => signToken(key, { ...claims, ...from });
    const requests: Record<string, string>[] = [{}, { trust: 'ci' }, { trust: 'unheard-of' }];
    const tokens: Record<string, string> = {
      'no token': 'x',
      'three parts of nothing': 'a.b.c',
      'too long': 'x'.repeat(20_000),
      'no issuer': `${unsigned({ alg: 'ES256' }, { sub: 'x' })}.AAAA`,
      'unknown issuer': await made({ iss: 'https://unknown.example.com' }),
      'issuer that does not answer': await made({ iss: silent.url }),
      'algorithm none': `${unsigned({ alg: 'none' }, claims)}.`,
      'no signature of the issuer': await made({}, await issuerKey('first')),
      'unknown key': await made({}, other),
      'expired and not signed': await made({ exp: now() - 60 }, other),
      'other audience': await made({ aud: 'other' }),
      'other audience, expired': await made({ aud: 'other', exp: now() - 60 }),
      'other audience, not yet valid': await made({ aud: 'other', nbf: now() + 60 }),
      'other audience, long life': await made({ aud: 'other', exp: now() + 90_000 }),
      'other audience, without an end': await made({ aud: 'other', exp: undefined }),
      'other claims': await made({ sub: 'stranger' }),
      'other claims, expired': await made({ sub: 'stranger', exp: now() - 60 }),
    };
    const answers = new Map<string, string[]>();
    for (const [name, token] of Object.entries(tokens)) {
      for (const org of [acme.org, 'nowhere', 'not a name!']) {
        for (const trust of requests) {
          const { status, text, headers } = await acme.exchange(token, trust, encodeURIComponent(org));
          const rest = Object.entries(headers).filter(([header]) => header !== 'x-request-id');
          const bytes = JSON.stringify([status, text, rest]);
          answers.set(bytes, [...(answers.get(bytes) ?? []), `${name} to ${org} ${JSON.stringify(trust)}`]);
        }
      }
    }
    expect([...answers.values()].map(([first]) => first)).toEqual([`no token to ${acme.org} {}`]);
    expect((await acme.exchange(await made({ exp: now() - 60 }))).text).toContain('has expired');
    expect((await acme.exchange(await made({ exp: now() - 60 }), {}, 'nowhere')).text).toContain('No trust');
    expect((await acme.exchange(await made({ exp: now() - 60 }), { trust: 'unheard-of' })).text).toContain('No trust');
  });

  it('a token is refused of an unknown issuer with one read, alike in an organization that does not exist', async () => {
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

  it('a token is refused with one audit entry an hour for each reason and trust, however often it comes', async () => {
    const acme = await trusting();
    for (let i = 0; i < 3; i += 1) await acme.exchange(await aToken({ sub: 'nobody' }));
    await acme.exchange(await aToken({ sub: 'nobody' }), { trust: 'ci' });
    expect(await acme.audit('kind=token')).toMatchObject([
      { after: { reason: 'claims', trust: 'ci', subject: 'nobody', differing: { sub: 'nobody' } } },
      { after: { reason: 'claims' } },
    ]);
    for (const trust of ['made-up', 'made-up-too']) {
      await acme.exchange(await signToken(await issuerKey('other'), { iss: issuer.url }), { trust });
    }
    expect(await acme.audit('kind=token')).toHaveLength(3);
    api.services.clock.advance(3_600_000_000);
    await acme.exchange(await aToken({ sub: 'nobody' }));
    expect(await acme.audit('kind=token')).toHaveLength(4);
  });
});
