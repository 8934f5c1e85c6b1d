import * as z from 'zod';
import { returnPath } from '#shared/console/return-path.ts';
import { problemPath } from '#shared/console/sign-in-problems.ts';
import { hostCookie } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { signInCookieValue } from '#shared/organizations/rules/sign-in.ts';
import type { SignInStores } from '#shared/organizations/sign-in/finish-sign-in.ts';
import { startSignIn as start } from '#shared/organizations/sign-in/finish-sign-in.ts';
import type { SignInServices } from '#shared/organizations/sign-in/provider.ts';
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
  query: z.object({
    next: z.string().optional().meta({ description: 'Path of the page of the console to go on with' }),
  }),
  produces: 'text',
  success: { 302: z.literal('') },
  successAsJson: { 200: ProviderOut },
  handler: async ({ query, host, format }, services: Pick<SignInStores, 'guard' | 'clock'> & SignInServices) => {
    const { signIn: provider } = services;
    if (format === 'json') return { status: 200, body: { issuer: provider?.issuer ?? null } };
    const next = returnPath(query.next);
    if (!provider) return redirectTo(problemPath('no_provider', next));
    const started = await start(services, provider, redirectUri(host));
    if (!started) return redirectTo(problemPath('provider_failed', next, 'no_description'));
    const value = signInCookieValue(started.secret, next);
    return redirectTo(started.address, [hostCookie(host, { ...SIGN_IN_COOKIE, value, seconds: SIGN_IN_SECONDS })]);
  },
});
