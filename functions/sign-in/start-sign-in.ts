import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { returnPath } from '#shared/console/return-path.ts';
import { problemPath } from '#shared/console/sign-in-problems.ts';
import { hostCookie } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services, SignInProvider } from '#shared/http/services.ts';
import { signInCookieValue, signInValues } from '#shared/organizations/rules/sign-in.ts';
import { IssuerUnavailable, issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { redirectTo, redirectUri, SIGN_IN_COOKIE } from './sign-in-redirects.ts';

/** A sign-in at the provider may take so many seconds. */
const SIGN_IN_SECONDS = 600;

const ProviderOut = z
  .object({
    issuer: z.string().nullable().meta({ description: 'Issuer of the identity provider; null if there is none' }),
  })
  .meta({ id: 'SignInProvider' });

/** GET /user/sign-in: sends the browser to the identity provider, or says which one there is (rules/sign-in.md#sign-in). */
export const startSignIn = endpoint({
  operation: 'startSignIn',
  method: 'GET',
  path: '/user/sign-in',
  summary: 'Sign in at the identity provider of the service',
  description:
    'For browsers: sends the browser to the identity provider, which sends it back to `/user/sign-in/callback`. Callers who prefer JSON are told which provider there is.',
  access: 'public',
  params: z.object({}),
  query: z.object({
    next: z.string().optional().meta({ description: 'Path of the page of the console to go on with' }),
  }),
  body: { kind: 'none' },
  produces: 'text',
  success: { 302: z.literal('') },
  successAsJson: { 200: ProviderOut },
  errors: [],
  handler: async ({ query, host, format }, { signIn: provider, guard, clock }) => {
    if (format === 'json') return { status: 200, body: { issuer: provider?.issuer ?? null } };
    const next = returnPath(query.next);
    if (!provider) return redirectTo(problemPath('no_provider', next));
    const address = await authorizationEndpoint(provider, { guard, clock });
    if (address === undefined) return redirectTo(problemPath('provider_failed', next, 'no_description'));
    const secret = randomBytes(32).toString('base64url');
    const { state, nonce, challenge } = signInValues(secret);
    const target = new URL(address);
    const parameters = {
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: redirectUri(host),
      scope: provider.scopes,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    const cookie = { ...SIGN_IN_COOKIE, value: signInCookieValue(secret, next), seconds: SIGN_IN_SECONDS };
    return redirectTo(target.href, [hostCookie(host, cookie)]);
  },
});

/** Returns the address at which the provider asks people to sign in; undefined if its description cannot be read. */
async function authorizationEndpoint(
  { issuer }: SignInProvider,
  { guard, clock }: Pick<Services, 'guard' | 'clock'>,
): Promise<string | undefined> {
  try {
    return (await issuerKeysOf(guard).describe(issuer, clock.now())).authorization_endpoint;
  } catch (error) {
    if (error instanceof IssuerUnavailable) return undefined;
    throw error;
  }
}
