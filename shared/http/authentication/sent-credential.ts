import { isSessionSecret, readCredential, type SessionSecrets } from '#shared/callers/credentials.ts';
import type { GatewayRequest } from '../gateway-event.ts';
import { authenticationRequired, invalidSession, otherSite, severalSessions } from '../sentences.ts';

/** What a request shows to say who calls. */
export interface SentCredential {
  kind: 'key' | 'session';
  secret: string;
  /** The token against forgery, beside the secret of a session. */
  csrf?: string | undefined;
}

type Credentialed = Pick<GatewayRequest, 'headers' | 'cookies'>;

/**
 * Reads the credential of a request: the key of the `Authorization` header, or the session of the cookie if there is no
 * such header (rules/requests.md#session-cookie).
 *
 * @param address scheme and authority of the service, from its setting
 * @throws ServiceError 401 without a readable credential, 403 for a cookie that a page of another site sent
 */
export function readSentCredential(request: Credentialed, address: string): SentCredential {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = readCredential(authorization);
    if (secret === null) throw authenticationRequired();
    return { kind: 'key', secret };
  }
  const name = cookieName(address, 'session');
  const values = valuesOf(request.cookies, name);
  const [secret] = values;
  if (secret === undefined) throw authenticationRequired();
  if (!isFromOwnPage(request, address)) throw otherSite();
  if (values.length > 1) throw severalSessions({ name });
  if (!isSessionSecret(secret)) throw invalidSession();
  return { kind: 'session', secret, csrf: request.headers[CSRF_HEADER] };
}

/**
 * Browsers accept the prefix `__Host-` only over https, and then only for the exact host that set the cookie. Over http,
 * which only the stack on one machine speaks, the name has no prefix.
 */
export const cookieName = (address: string, name: string): string => (isHttps(address) ? `__Host-${name}` : name);

const isHttps = (address: string): boolean => address.startsWith('https:');

/** The header with the token against forgery. A form or a link cannot set a header. */
const CSRF_HEADER = 'x-csrf-token';

/** Returns the values of all cookies of a name. */
export const valuesOf = (cookies: readonly string[], name: string): string[] =>
  cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));

/**
 * Browsers say which site a request comes from, and no script can change these headers. A browser without
 * `Sec-Fetch-Site` sends `Origin` with every request that can change something. `Origin` is compared with the authority that
 * the browser used and not with the setting, because one machine answers at `localhost` and at `127.0.0.1`. A page cannot
 * choose the `Host` of a request, and browsers send the cookie only to the host that set it.
 */
function isFromOwnPage({ headers }: Credentialed, address: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  return host !== undefined && origin === `${isHttps(address) ? 'https' : 'http'}://${host}`;
}

/**
 * Returns the values of `Set-Cookie` for a session that lasts so many seconds. Scripts of the page read the token against
 * forgery, because they have to send it as a header.
 */
export const sessionCookies = (address: string, { secret, csrf }: SessionSecrets, seconds: number): string[] => [
  hostCookie(address, { name: 'session', value: secret, attributes: ['HttpOnly', 'SameSite=Strict'], seconds }),
  hostCookie(address, { name: 'session-csrf', value: csrf, attributes: ['SameSite=Strict'], seconds }),
];

/** Returns the values of `Set-Cookie` that make a browser delete its session. */
export const noSessionCookies = (address: string): string[] => sessionCookies(address, { secret: '', csrf: '' }, 0);

interface HostCookie {
  name: string;
  value: string;
  attributes: readonly string[];
  seconds: number;
}

/** Returns the value of `Set-Cookie` for a cookie that browsers send to the host that set it, and to no other. */
export const hostCookie = (address: string, { name, value, attributes, seconds }: HostCookie): string =>
  [
    `${cookieName(address, name)}=${value}`,
    ...attributes,
    ...(isHttps(address) ? ['Secure'] : []),
    'Path=/',
    `Max-Age=${seconds}`,
  ].join('; ');

/**
 * Takes Basic out of the challenge of a refusal to a script of a page: browsers answer that challenge with a window that asks
 * for a user name (rules/requests.md#authentication).
 */
export function challengeFor(
  { headers }: Pick<GatewayRequest, 'headers'>,
  answerHeaders: Record<string, string>,
): Record<string, string> {
  const isOfScript = (headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate';
  if (!isOfScript || answerHeaders['www-authenticate'] === undefined) return answerHeaders;
  return { ...answerHeaders, 'www-authenticate': 'Bearer realm="api"' };
}
