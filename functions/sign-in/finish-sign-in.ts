import * as z from 'zod';
import { pageOf, returnPath } from '#shared/console/return-path.ts';
import { problemPath, type SignInProblem } from '#shared/console/sign-in-problems.ts';
import { cookieName, hostCookie, sessionCookies, valuesOf } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services, SignInProvider } from '#shared/http/services.ts';
import { signedDigest } from '#shared/organizations/exchange-token.ts';
import { noteRefusedPerson } from '#shared/organizations/refused-people.ts';
import {
  type Person,
  personOf,
  readSignInCookie,
  signInValues,
  wrongClaim,
} from '#shared/organizations/rules/sign-in.ts';
import { signIn, type UsedToken } from '#shared/organizations/sign-in.ts';
import { ExchangeFailed, exchangeCode } from '#shared/outgoing/exchange-code.ts';
import { IssuerUnavailable, issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { TokenRefused, verifyToken } from '#shared/outgoing/verify-token.ts';
import { redirectTo, redirectUri, SIGN_IN_COOKIE } from './sign-in-redirects.ts';

/** What the provider sends back. It may send more: a client ignores parameters that it does not know (RFC 6749, 4.1.2). */
const CallbackQuery = z.looseObject({
  state: z.string().optional().meta({ description: 'The value that the sign-in began with' }),
  code: z.string().optional().meta({ description: 'Code that the service exchanges for a token' }),
  error: z.string().optional().meta({ description: 'Why the provider refused the sign-in' }),
  iss: z.string().optional().meta({ description: 'Issuer of the answer (RFC 9207)' }),
});

/** A sign-in that ends with a page that explains the problem. */
class Refused extends Error {
  readonly problem: SignInProblem;
  readonly reason: string | undefined;
  constructor(problem: SignInProblem, reason?: string, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
    this.reason = reason;
  }
}

/** GET /user/sign-in/callback: the provider sends the browser back (rules/sign-in.md#callback). */
export const finishSignIn = endpoint({
  operation: 'finishSignIn',
  method: 'GET',
  path: '/user/sign-in/callback',
  summary: 'Complete a sign-in at the identity provider',
  description:
    'The identity provider sends browsers here. The answer starts a session and sends the browser to the page that the sign-in began with, or to a page that explains why the sign-in failed.',
  access: 'public',
  params: z.object({}),
  query: CallbackQuery,
  body: { kind: 'none' },
  produces: 'text',
  success: { 302: z.literal('') },
  errors: [],
  uses: {
    reads: ['@MEMBEROF', '@ORG', '@ORGS', 'MEMBER'],
    selects: ['@LETIN'],
    writes: ['@SESSION', '@SESSIONS', '@USER', '@IDENTITY', '@OFFER', '@TOKEN', 'REFUSED', 'AUDIT'],
    removes: ['@SESSION', '@SESSIONS'],
  },
  handler: async ({ query, host, cookies }, services) => {
    const [value, ...others] = valuesOf(cookies, cookieName(host, SIGN_IN_COOKIE.name));
    const begun = others.length === 0 ? readSignInCookie(value) : undefined;
    const next = returnPath(begun?.next);
    const deleted = hostCookie(host, { ...SIGN_IN_COOKIE, value: '', seconds: 0 });
    try {
      if (!services.signIn) throw new Refused('no_provider');
      if (!begun) throw new Refused('expired');
      const { person, token } = await learnPerson(
        query,
        { host, secret: begun.secret, provider: services.signIn },
        services,
      );
      const entered = await signIn(person, token, services);
      if (entered.outcome === 'used') throw new Refused('expired', 'used');
      if (entered.outcome === 'refused') {
        const org = pageOf(next)?.params['org'];
        if (org !== undefined) await noteRefusedPerson(person, entered.why, org, services);
        throw new Refused(entered.why);
      }
      const { secrets, seconds, ended } = entered;
      const answer = redirectTo(next, [...sessionCookies(host, secrets, seconds), deleted]);
      return { ...answer, distrust: { sessions: ended } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return redirectTo(problemPath(error.problem, next, error.reason), [deleted]);
    }
  },
});

interface Begun {
  host: string;
  secret: string;
  provider: SignInProvider;
}

/** Learns from the provider who signed in. @throws Refused */
async function learnPerson(
  { state, code, error, iss }: z.output<typeof CallbackQuery>,
  { host, secret, provider }: Begun,
  { guard, clock }: Pick<Services, 'guard' | 'clock'>,
): Promise<{ person: Person; token: UsedToken }> {
  const values = signInValues(secret);
  const { issuer, clientId } = provider;
  if (state !== values.state) throw new Refused('expired', 'state');
  if (iss !== undefined && iss !== issuer) throw new Refused('token_refused', 'iss');
  if (error !== undefined) throw new Refused('refused_by_provider', error);
  if (code === undefined) throw new Refused('provider_failed', 'no_code');
  const keys = issuerKeysOf(guard);
  try {
    const [description, clientSecret] = await Promise.all([keys.describe(issuer, clock.now()), provider.secret()]);
    const exchange = {
      clientId,
      secret: clientSecret,
      code,
      redirectUri: redirectUri(host),
      verifier: values.verifier,
    };
    const token = await exchangeCode(description, exchange, guard);
    const claims = await verifyToken(token, issuer, { keys, now: clock.now() });
    const wrong = wrongClaim(claims, { clientId, nonce: values.nonce });
    if (wrong !== undefined) throw new Refused('token_refused', wrong);
    return { person: personOf(claims, provider), token: { digest: signedDigest(token), endsAt: claims.exp } };
  } catch (fault) {
    if (fault instanceof TokenRefused) throw new Refused('token_refused', fault.fault, fault);
    if (fault instanceof ExchangeFailed) throw new Refused('provider_failed', fault.reason, fault);
    if (fault instanceof IssuerUnavailable) throw new Refused('provider_failed', 'no_description', fault);
    throw fault;
  }
}
