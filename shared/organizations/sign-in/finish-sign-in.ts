import { randomBytes } from 'node:crypto';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { ExchangeFailed, exchangeCode } from '#shared/outgoing/exchange-code.ts';
import { IssuerUnavailable, issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { TokenRefused, verifyToken } from '#shared/outgoing/verify-token.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type Person, personOf, signInValues, wrongClaim } from '../rules/sign-in.ts';
import { signedDigest } from '../trusts/exchange-token.ts';
import type { SignInProvider } from './provider.ts';
import { recordRefusedPerson } from './refused-people.ts';
import { type SignInOutcome, type SignInRefusal, signIn, type UsedToken } from './sign-in.ts';

export const FINISH_SIGN_IN: Uses = {
  reads: ['@MEMBEROF', '@ORG', '@ORGS', 'MEMBER'],
  selects: ['@LETIN'],
  writes: ['@SESSION', '@SESSIONS', '@USER', '@IDENTITY', '@OFFER', '@TOKEN', 'REFUSED', 'AUDIT'],
  removes: ['@SESSION', '@SESSIONS'],
};

/** A sign-in goes on at the provider, and `guard` says which addresses the provider may have. */
export type SignInStores = Pick<Stores, 'table' | 'clock'> & { guard: AddressGuard };

/** What the provider sends back with the browser (rules/sign-in.md#callback). */
interface ProviderAnswer {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
}

/** A sign-in that began in a browser. */
interface BegunSignIn {
  provider: SignInProvider;
  /** The 256 random bits that only the browser keeps. */
  secret: string;
  /** The address that the provider sends browsers back to. */
  redirectUri: string;
  /** Name of the organization whose page the sign-in began with. */
  org: string | undefined;
}

/** Why nobody is signed in. `reason` names the cause for the operator. */
interface FailedSignIn {
  problem: SignInRefusal | 'expired' | 'refused_by_provider' | 'provider_failed' | 'token_refused';
  reason?: string | undefined;
}

/** Learns from the provider who signed in, and starts a session of this person (rules/sign-in.md#callback). */
export async function finishSignIn(
  stores: SignInStores,
  answer: ProviderAnswer,
  begun: BegunSignIn,
): Promise<Extract<SignInOutcome, { outcome: 'signed in' }> | FailedSignIn> {
  const learned = await learnPerson(stores, answer, begun);
  if ('problem' in learned) return learned;
  const { person, token } = learned;
  const entered = await signIn(person, token, stores);
  if (entered.outcome === 'used') return { problem: 'expired', reason: 'used' };
  if (entered.outcome === 'signed in') return entered;
  if (begun.org !== undefined) await recordRefusedPerson(person, entered.why, begun.org, stores);
  return { problem: entered.why };
}

async function learnPerson(
  { guard, clock }: SignInStores,
  { state, code, error, iss }: ProviderAnswer,
  { provider, secret, redirectUri }: BegunSignIn,
): Promise<{ person: Person; token: UsedToken } | FailedSignIn> {
  const values = signInValues(secret);
  const { issuer, clientId } = provider;
  if (state !== values.state) return { problem: 'expired', reason: 'state' };
  if (iss !== undefined && iss !== issuer) return { problem: 'token_refused', reason: 'iss' };
  if (error !== undefined) return { problem: 'refused_by_provider', reason: error };
  if (code === undefined) return { problem: 'provider_failed', reason: 'no_code' };
  const keys = issuerKeysOf(guard);
  try {
    const [description, clientSecret] = await Promise.all([keys.describe(issuer, clock.now()), provider.secret()]);
    const exchange = { clientId, secret: clientSecret, code, redirectUri, verifier: values.verifier };
    const token = await exchangeCode(description, exchange, guard);
    const claims = await verifyToken(token, issuer, { keys, now: clock.now() });
    const wrong = wrongClaim(claims, { clientId, nonce: values.nonce });
    if (wrong !== undefined) return { problem: 'token_refused', reason: wrong };
    return { person: personOf(claims, provider), token: { digest: signedDigest(token), endsAt: claims.exp } };
  } catch (fault) {
    if (fault instanceof TokenRefused) return { problem: 'token_refused', reason: fault.fault };
    if (fault instanceof ExchangeFailed) return { problem: 'provider_failed', reason: fault.reason };
    if (fault instanceof IssuerUnavailable) return { problem: 'provider_failed', reason: 'no_description' };
    throw fault;
  }
}

/** A sign-in that begins at the provider. */
interface StartedSignIn {
  /** Where the provider asks the person to sign in. */
  address: string;
  /** 256 random bits, which only the browser keeps. */
  secret: string;
}

/**
 * Starts a sign-in at the identity provider (rules/sign-in.md#sign-in).
 *
 * @param redirectUri the address that the provider sends the browser back to
 * @returns undefined if the description of the provider cannot be read
 */
export async function startSignIn(
  { guard, clock }: Pick<SignInStores, 'guard' | 'clock'>,
  { issuer, clientId, scopes }: SignInProvider,
  redirectUri: string,
): Promise<StartedSignIn | undefined> {
  const description = await issuerKeysOf(guard)
    .describe(issuer, clock.now())
    .catch((error: unknown) => {
      if (error instanceof IssuerUnavailable) return undefined;
      throw error;
    });
  if (description?.authorization_endpoint === undefined) return undefined;
  const secret = randomBytes(32).toString('base64url');
  const { state, nonce, challenge } = signInValues(secret);
  const target = new URL(description.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return { address: target.href, secret };
}
