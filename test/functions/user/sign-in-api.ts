import { auditGroup } from '#functions/audit/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { signInGroup } from '#functions/sign-in/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { accessTokensOf } from '#shared/organizations/sign-in/access-tokens.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { type ApiRequest, testApi } from '#test/support/api.ts';
import { movableClock } from '#test/support/clock.ts';
import { uniqueName } from '#test/support/directory.ts';
import { LOOPBACK } from '#test/support/identity/issuer.ts';
import type { TestServices } from '#test/support/services.ts';
import { startProvider, type TestProvider } from '#test/support/sign-in-provider.ts';

const SECRET = 'client: secret+';

export const domainOf = () => `${uniqueName('d')}.example`.toLowerCase();
export const cookieName = (cookie: string) => cookie.slice(0, cookie.indexOf('='));
export const cookieValue = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1).split(';')[0] ?? '';

/** What an address says about a sign-in that failed: path, problem and reason. */
export const problemOf = (location = '') => {
  const url = new URL(location, 'https://api.example');
  return [url.pathname, url.searchParams.get('problem'), url.searchParams.get('reason')];
};
export const refusedWith = (problem: string, reason: string | null = null) => ['/-/sign-in', problem, reason];

const ADMIN_GROUPS: readonly EndpointGroup[] = [
  serviceAccountsGroup,
  userGroup,
  signInGroup,
  organizationsGroup,
  auditGroup,
];

/**
 * The API with an identity provider, which runs until `provider.stop()`, and what browsers and operators do.
 *
 * @param more services that take the place of the usual ones
 */
export async function signInApi(groups = ADMIN_GROUPS, more: Partial<TestServices> = {}) {
  const provider: TestProvider = await startProvider({ secret: SECRET, now: () => api.services.clock.now() / 1e6 });
  const signIn = {
    issuer: provider.url,
    clientId: provider.clientId,
    secret: async () => SECRET,
    scopes: 'openid email',
    groupsClaim: 'groups',
    rules: ['domain', 'group'] as const,
  };
  const [guard, clock] = [addressGuard(LOOPBACK), more.clock ?? movableClock()];
  const accessTokens = accessTokensOf(signIn, { guard, clock });
  const api = await testApi(groups, { guard, clock, signIn, accessTokens, ...more });

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

  /** A user whom the operator makes and knows by an e-mail address. */
  async function knownUser(email: string) {
    const user = uniqueName('ann');
    await runOperator(api.services, { command: 'create-user', name: user });
    const { ok } = await runOperator(api.services, { command: 'identify-user', user, email });
    if (!ok) throw new Error(`The operator could not name ${user}`);
    return user;
  }

  return { api, provider, begin, callback, enter, knownUser };
}
