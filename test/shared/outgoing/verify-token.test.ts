import { describe, expect, test } from 'vitest';
import { micros, plus } from '#shared/base/time.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { IssuerKeys } from '#shared/outgoing/issuer-keys.ts';
import { verifyToken } from '#shared/outgoing/verify-token.ts';
import {
  issuerKey,
  KEY_SET,
  LOOPBACK,
  signToken,
  startIssuer,
  type TestIssuer,
} from '#test/support/identity/issuer.ts';

const SECOND = 1_000_000;
const NOW = micros(1_795_000_000 * SECOND);
const DESCRIPTION = '/.well-known/openid-configuration';

/** One key for several tests, because it takes long to make. */
const rsaKey = issuerKey('first', 'RS256');

/** Verifies tokens of an issuer with a memory of its own. */
function verifierOf(issuer: TestIssuer, timeLimitMillis?: number) {
  const keys = new IssuerKeys(addressGuard(LOOPBACK), timeLimitMillis);
  /** @param after seconds since {@link NOW} */
  return async (after = 0, token = issuer.token({}, NOW / SECOND + after)) => {
    const verified = verifyToken(await token, issuer.url, { keys, now: plus(NOW, after * SECOND) });
    return verified.then(
      () => 'verified',
      (error: { fault?: string; message: string }) => [error.fault ?? 'thrown', error.message],
    );
  };
}

describe('a token', () => {
  test.each(['RS256', 'PS384', 'ES256', 'ES512', 'EdDSA'])('signed with %s is verified', async (alg) => {
    await using issuer = await startIssuer(await issuerKey('first', alg));
    expect(await verifierOf(issuer)()).toBe('verified');
  });

  test('may be 30 seconds off the clock of the service, and not 31', async () => {
    await using issuer = await startIssuer();
    const verify = verifierOf(issuer);
    const [early, late] = [issuer.token({}, NOW / SECOND + 30), issuer.token({}, NOW / SECOND - 329)];
    expect([await verify(0, early), await verify(0, late)]).toEqual(['verified', 'verified']);
    expect(await verify(-1, early)).toEqual(['not_yet_valid', expect.stringContaining("'nbf' is in the future")]);
    expect(await verify(1, late)).toEqual(['expired', 'The token has expired. Ask the issuer for a new token']);
  });

  test('a token without a key id is verified if the key set has one key that fits', async () => {
    await using issuer = await startIssuer();
    const { iss, sub, iat, exp } = { iss: issuer.url, sub: 's', iat: NOW / SECOND, exp: NOW / SECOND + 60 };
    const token = () => signToken(issuer.key, { iss, sub, iat, exp }, { kid: undefined as never });
    expect(await verifierOf(issuer)(0, token())).toBe('verified');
    issuer.keys.push((await issuerKey('second')).jwk);
    expect(await verifierOf(issuer)(0, token())).toEqual(['unknown_key', expect.stringContaining('exactly one key')]);
  });
});

describe('the key set of an issuer', () => {
  test('is read once for verifications at the same time, and again after ten minutes', async () => {
    await using issuer = await startIssuer();
    const verify = verifierOf(issuer);
    expect(await Promise.all(Array.from({ length: 20 }, () => verify()))).toEqual(Array(20).fill('verified'));
    await verify(599);
    expect(issuer.requests).toEqual([DESCRIPTION, KEY_SET]);
    await verify(600);
    expect(issuer.requests).toHaveLength(4);
  });

  test('is read again for an unknown key id, at most every 30 seconds', async () => {
    await using issuer = await startIssuer();
    const verify = verifierOf(issuer);
    await verify();
    const second = await issuerKey('second');
    const token = (key = second) =>
      signToken(key, { iss: issuer.url, sub: 's', iat: NOW / SECOND, exp: NOW / SECOND + 300 });
    expect(await verify(29, token())).toEqual(['unknown_key', expect.stringContaining('try again in a minute')]);
    expect(issuer.requests).toHaveLength(2);
    issuer.keys.push(second.jwk);
    expect(await Promise.all([verify(30, token()), verify(30, token())])).toEqual(['verified', 'verified']);
    expect(issuer.requests).toHaveLength(4);
    await verify(31, token(await issuerKey('third')));
    expect(issuer.requests).toHaveLength(4);
  });

  test('is used for an hour while the issuer fails, which is asked every ten seconds', async () => {
    await using issuer = await startIssuer();
    const verify = verifierOf(issuer);
    await verify();
    issuer.answers.set(DESCRIPTION, (response) => response.writeHead(503).end());
    expect(await verify(3599)).toBe('verified');
    expect(await verify(3600)).toEqual(['issuer_unavailable', expect.stringContaining('The answer is 503')]);
    expect(await verify(3608)).toEqual(['issuer_unavailable', expect.any(String)]);
    expect(issuer.requests).toHaveLength(3);
    issuer.answers.clear();
    expect(await verify(3609)).toBe('verified');
  });

  test.each<[string, string, (issuer: TestIssuer) => void]>([
    [
      'is described for another issuer',
      'describes another issuer',
      ({ answers, url }) =>
        answers.set(DESCRIPTION, (response) =>
          response.end(JSON.stringify({ issuer: `${url}/`, jwks_uri: `${url}${KEY_SET}` })),
        ),
    ],
    [
      'is behind a redirect',
      'The answer is 302, and redirects are not followed',
      ({ answers, url }) =>
        answers.set(KEY_SET, (response) => response.writeHead(302, { location: `${url}/other` }).end()),
    ],
    [
      'is too large',
      'The answer has 65536 bytes or more',
      ({ answers }) =>
        answers.set(KEY_SET, (response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(70_000) }))),
    ],
    [
      'is no key set',
      'no such document as OpenID Connect describes',
      ({ answers }) => answers.set(KEY_SET, (response) => response.end('<html>')),
    ],
    ['is slow', 'No answer in time', ({ answers }) => answers.set(KEY_SET, () => undefined)],
    [
      'breaks off',
      'no such document',
      ({ answers }) =>
        answers.set(KEY_SET, (response) => {
          response.writeHead(200, { 'content-length': 100 }).write('{"keys": [');
          setImmediate(() => response.destroy());
        }),
    ],
    [
      'is at a private address',
      'private, local or reserved',
      ({ answers, url }) =>
        answers.set(DESCRIPTION, (response) =>
          response.end(JSON.stringify({ issuer: url, jwks_uri: 'https://10.0.0.1/keys' })),
        ),
    ],
    [
      'has an RSA key that is too short',
      'an RSA key of 1024 bits',
      ({ keys }) => {
        const n = Buffer.alloc(128, 0xff).toString('base64url');
        keys.splice(0, 1, { kty: 'RSA', kid: 'first', alg: 'RS256', n, e: 'AQAB' });
      },
    ],
  ])('is not used if it %s', async (_, message, spoil) => {
    await using issuer = await startIssuer(await rsaKey);
    spoil(issuer);
    expect(await verifierOf(issuer, 300)()).toEqual(['issuer_unavailable', expect.stringContaining(message)]);
  });
});
