import * as z from 'zod';
import { pageOf, returnPath } from '#shared/console/return-path.ts';
import { problemPath, type SignInProblem } from '#shared/console/sign-in-problems.ts';
import { cookieName, hostCookie, sessionCookies, valuesOf } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { readSignInCookie } from '#shared/organizations/rules/sign-in.ts';
import {
  FINISH_SIGN_IN,
  finishSignIn as finish,
  type SignInStores,
} from '#shared/organizations/sign-in/finish-sign-in.ts';
import type { SignInServices } from '#shared/organizations/sign-in/provider.ts';
import { redirectTo, redirectUri, SIGN_IN_COOKIE } from './sign-in-redirects.ts';

/** What the provider sends back. It may send more: a client ignores parameters that it does not know (RFC 6749, 4.1.2). */
const CallbackQuery = z.looseObject({
  state: z.string().optional().meta({ description: 'The value that the sign-in began with' }),
  code: z.string().optional().meta({ description: 'Code that the service exchanges for a token' }),
  error: z.string().optional().meta({ description: 'Why the provider refused the sign-in' }),
  iss: z.string().optional().meta({ description: 'Issuer of the answer (RFC 9207)' }),
});

/** GET /user/sign-in/callback: the provider sends the browser back (rules/sign-in.md#callback). */
export const finishSignIn = endpoint({
  operation: 'finishSignIn',
  method: 'GET',
  path: '/user/sign-in/callback',
  summary: 'Complete a sign-in at the identity provider',
  description:
    'The identity provider sends browsers here. The answer starts a session and sends the browser to the page that the sign-in began with, or to a page that explains why the sign-in failed.',
  access: 'public',
  query: CallbackQuery,
  produces: 'text',
  success: { 302: z.literal('') },
  uses: FINISH_SIGN_IN,
  handler: async ({ query, host, cookies }, services: SignInStores & SignInServices) => {
    const { signIn: provider } = services;
    const [value, ...others] = valuesOf(cookies, cookieName(host, SIGN_IN_COOKIE.name));
    const begun = others.length === 0 ? readSignInCookie(value) : undefined;
    const next = returnPath(begun?.next);
    const deleted = hostCookie(host, { ...SIGN_IN_COOKIE, value: '', seconds: 0 });
    const explain = (problem: SignInProblem, reason?: string) =>
      redirectTo(problemPath(problem, next, reason), [deleted]);
    if (!provider) return explain('no_provider');
    if (!begun) return explain('expired');
    const { secret } = begun;
    const org = pageOf(next)?.params['org'];
    const outcome = await finish(services, query, { provider, secret, redirectUri: redirectUri(host), org });
    if ('problem' in outcome) return explain(outcome.problem, outcome.reason);
    const answer = redirectTo(next, [...sessionCookies(host, outcome.secrets, outcome.seconds), deleted]);
    return { ...answer, distrust: { sessions: outcome.ended } };
  },
});
