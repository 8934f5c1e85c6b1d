import { fromSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AccessTokens, TokenOutcome } from '#shared/callers/access-tokens.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { issuerKeysOf } from '#shared/outgoing/issuer-keys.ts';
import { claimedIssuer, TokenRefused, verifyToken } from '#shared/outgoing/verify-token.ts';
import { audiencesOf, personOf } from '../rules/sign-in.ts';
import type { SignInProvider } from './provider.ts';

/** The identity provider, as far as access tokens need it. */
type TokenProvider = Pick<SignInProvider, 'issuer' | 'scopes' | 'groupsClaim' | 'rules'>;

/** Verifies the access tokens of a provider, whose keys are read through `guard` (rules/agents.md#access-tokens). */
export function accessTokensOf(
  provider: TokenProvider,
  { guard, clock }: Pick<Stores, 'clock'> & { guard: AddressGuard },
): AccessTokens {
  const { issuer, scopes } = provider;
  return {
    issuer,
    scopes: scopes.split(' '),
    verify: (token, resource) =>
      provenPerson(token, resource).catch((error: unknown): TokenOutcome => {
        if (!(error instanceof TokenRefused)) throw error;
        return error.fault === 'issuer_unavailable' ? { unavailable: error } : { refused: error.message };
      }),
  };

  async function provenPerson(token: string, resource: string): Promise<TokenOutcome> {
    // Before the keys are read: a token of another issuer must not make the service ask for them.
    if (claimedIssuer(token) !== issuer) return { refused: `Its issuer is not ${issuer}. Sign in there` };
    const claims = await verifyToken(token, issuer, { keys: issuerKeysOf(guard), now: clock.now() });
    if (!audiencesOf(claims).includes(resource)) {
      return { refused: `Its audience is not ${resource}. Ask the provider for a token for this resource` };
    }
    return { person: { ...personOf(claims, provider), endsAt: fromSeconds(claims.exp) } };
  }
}
