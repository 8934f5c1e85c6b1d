import { isSessionSecret, readCredential, type SessionSecrets } from '#shared/callers/credentials.ts';
import type { GatewayRequest } from '../gateway-event.ts';
import { authenticationRequired, invalidSession, otherSite, severalSessions } from '../sentences.ts';

/** What a request shows to say who calls. */
export type SentCredential =
  | { kind: 'key'; secret: string }
  /** `csrf` is the token against forgery. */
  | { kind: 'session'; secret: string; csrf: string | undefined }
  /** `resource` is the address that the token has to be for. */
  | { kind: 'token'; token: string; resource: string };

type Credentialed = Pick<GatewayRequest, 'headers' | 'cookies'>;

/**
 * Reads the credential of a request: the key of the `Authorization` header, or the session of the cookie if there is no
 * such header (rules/requests.md#session-cookie).
 *
 * @param address scheme and authority of the service, from its setting
 * @param resource the address of an endpoint that takes access tokens; without it, a token counts as an unknown key
 * @throws ServiceError 401 without a readable credential, 403 for a cookie that a page of another site sent
 */
export function readSentCredential(request: Credentialed, address: string, resource?: string): SentCredential {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = readCredential(authorization);
    if (secret === null) throw authenticationRequired();
    if (resource !== undefined && TOKEN_FORM.test(secret)) return { kind: 'token', token: secret, resource };
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

/** A signed JSON Web Token has three parts. No key that the service makes has a dot. */
const TOKEN_FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/;

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
 * Changes the challenge of a refusal. For an endpoint that takes access tokens, it says where the provider is found (RFC 9728), and
 * whether a credential was refused (RFC 6750). For a script of a page it does not name Basic: browsers answer that challenge with a
 * window that asks for a user name (rules/requests.md#authentication).
 *
 * @param metadata address of the metadata of an endpoint that takes access tokens
 */
export function challengeFor(
  { headers }: Pick<GatewayRequest, 'headers'>,
  answerHeaders: Record<string, string>,
  metadata?: string,
): Record<string, string> {
  const { authorization, 'sec-fetch-mode': mode = 'navigate' } = headers;
  if (answerHeaders['www-authenticate'] === undefined) return answerHeaders;
  if (metadata === undefined && mode === 'navigate') return answerHeaders;
  const parts = [
    'Bearer realm="api"',
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
    ...(metadata === undefined || authorization === undefined ? [] : ['error="invalid_token"']),
  ];
  return { ...answerHeaders, 'www-authenticate': parts.join(', ') };
}
