import { randomBytes } from 'node:crypto';
import { IssuerUnavailable, issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { signInValues } from '../rules/sign-in.ts';
import type { SignInStores } from './finish-sign-in.ts';
import type { SignInProvider } from './provider.ts';

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
