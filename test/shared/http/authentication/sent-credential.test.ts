import { describe, expect, it } from 'vitest';
import { ServiceError } from '#shared/base/errors.ts';
import { mintSession } from '#shared/callers/credentials.ts';
import {
  challengeFor,
  noSessionCookies,
  readSentCredential,
  sessionCookies,
} from '#shared/http/authentication/sent-credential.ts';
import { statusOf } from '#shared/http/errors.ts';

const SECRET = mintSession();
const HTTPS = 'https://api.example';
const HTTP = 'http://localhost:8001';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

interface Sent {
  headers?: Record<string, string>;
  cookies?: string[];
  address?: string;
}
/** A request to the authority of the address, unless its headers name another one. */
const read = ({ headers = SAME_ORIGIN, cookies = [], address = HTTPS }: Sent) => {
  try {
    return readSentCredential({ headers: { host: new URL(address).host, ...headers }, cookies }, address);
  } catch (error) {
    if (error instanceof ServiceError) return [statusOf(error), error.message];
    throw error;
  }
};
const SESSION = { kind: 'session', secret: SECRET };
const NONE = [401, 'Authentication required'];
const INVALID = [401, 'Invalid or expired session. Sign in again'];
const OTHER_SITE = [
  403,
  'A session cookie is accepted only from pages of this service. Send an API key in the Authorization header instead',
];

describe('the cookie of a session', () => {
  it('has the prefix __Host- and Secure over https, and neither over http', () => {
    const secrets = { secret: SECRET, csrf: 'token' };
    expect(sessionCookies(HTTPS, secrets, 43_200)).toEqual([
      `__Host-session=${SECRET}; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=43200`,
      '__Host-session-csrf=token; SameSite=Strict; Secure; Path=/; Max-Age=43200',
    ]);
    expect(sessionCookies(HTTP, secrets, 5)).toEqual([
      `session=${SECRET}; HttpOnly; SameSite=Strict; Path=/; Max-Age=5`,
      'session-csrf=token; SameSite=Strict; Path=/; Max-Age=5',
    ]);
    expect(noSessionCookies(HTTP)).toEqual([
      'session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0',
      'session-csrf=; SameSite=Strict; Path=/; Max-Age=0',
    ]);
  });

  it('is read under the name of the scheme only', () => {
    expect(read({ cookies: ['theme=dark', ` __Host-session=${SECRET}`] })).toEqual(SESSION);
    expect(read({ cookies: [`session=${SECRET}`], address: HTTP })).toEqual(SESSION);
    expect(read({ cookies: [`session=${SECRET}`] })).toEqual(NONE);
    expect(read({ cookies: [`__Host-session=${SECRET}`], address: HTTP })).toEqual(NONE);
    for (const cookie of ['', '=', 'x', `__host-session=${SECRET}`, `__Host-session2=${SECRET}`, 'session']) {
      expect(read({ cookies: [cookie] }), cookie).toEqual(NONE);
    }
  });

  it('is refused if it has not the form of a session', () => {
    const forms = ['', 'x', `dek_${SECRET.slice(4)}`, `${SECRET}x`, SECRET.slice(1), `"${SECRET}"`, '\u0000', 'a=b=c'];
    for (const form of forms) expect(read({ cookies: [`__Host-session=${form}`] }), form).toEqual(INVALID);
  });

  it('is refused if there are several, also if they are equal', () => {
    const several = [
      401,
      "The request has several cookies '__Host-session'. Delete the cookies of this site and sign in again",
    ];
    for (const other of [SECRET, mintSession(), '']) {
      expect(read({ cookies: [`__Host-session=${SECRET}`, `__Host-session=${other}`] })).toEqual(several);
    }
  });

  it('is ignored if there is an Authorization header, whatever that holds', () => {
    const cookies = [`__Host-session=${SECRET}`];
    const withHeader = (authorization: string) => read({ cookies, headers: { ...SAME_ORIGIN, authorization } });
    expect(withHeader('Bearer dek_x')).toEqual({ kind: 'key', secret: 'dek_x' });
    for (const authorization of ['', 'Bearer', 'Digest x']) expect(withHeader(authorization)).toEqual(NONE);
  });

  it.each([
    ['a page of the same origin', SAME_ORIGIN, SESSION],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, OTHER_SITE],
    ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }, OTHER_SITE],
    ['the address bar', { 'sec-fetch-site': 'none' }, OTHER_SITE],
    ['another site that claims the origin', { 'sec-fetch-site': 'cross-site', origin: HTTPS }, OTHER_SITE],
    ['a browser without Sec-Fetch-Site, same origin', { origin: HTTPS }, SESSION],
    ['a browser without Sec-Fetch-Site, other origin', { origin: 'https://evil.example' }, OTHER_SITE],
    ['a browser without Sec-Fetch-Site, other scheme', { origin: 'http://api.example' }, OTHER_SITE],
    ['a browser without Sec-Fetch-Site, hidden origin', { origin: 'null' }, OTHER_SITE],
    ['a program that says nothing', {}, OTHER_SITE],
  ])('the cookie of a session is accepted or refused by what the browser says about %s', (_, headers, expected) => {
    expect(read({ headers, cookies: [`__Host-session=${SECRET}`] })).toEqual(expected);
  });

  it('the cookie of a session from another port of the same machine is refused', () => {
    const headers = { origin: 'http://localhost:9000' };
    expect(read({ address: HTTP, cookies: [`session=${SECRET}`], headers })).toEqual(OTHER_SITE);
  });

  it.each(['localhost:8001', '127.0.0.1:8001', '[::1]:8001'])(
    'the cookie of a session from a page of %s reaches one machine',
    (host) => {
      const headers = { host, origin: `http://${host}` };
      expect(read({ address: HTTP, cookies: [`session=${SECRET}`], headers })).toEqual(SESSION);
    },
  );

  it('is named by the address of the setting, whatever the gateway says about the scheme', () => {
    const headers = { ...SAME_ORIGIN, 'x-forwarded-proto': 'http' };
    expect(read({ headers, cookies: [`session=${SECRET}`] })).toEqual(NONE);
    expect(read({ headers, cookies: [`__Host-session=${SECRET}`] })).toEqual(SESSION);
  });
});

describe('the challenge of a 401', () => {
  const both = { 'www-authenticate': 'Bearer realm="api", Basic realm="api"' };

  it('does not name Basic for scripts of pages, so that the browser asks for no password', () => {
    expect(challengeFor({ headers: { 'sec-fetch-mode': 'cors' } }, both)).toEqual({
      'www-authenticate': 'Bearer realm="api"',
    });
  });

  it('names both schemes for everybody else', () => {
    expect(challengeFor({ headers: {} }, both)).toEqual(both);
    expect(challengeFor({ headers: { 'sec-fetch-mode': 'navigate' } }, both)).toEqual(both);
    expect(challengeFor({ headers: { 'sec-fetch-mode': 'cors' } }, {})).toEqual({});
  });
});
