import type { Micros } from '#shared/base/time.ts';
import type { SignInClaims } from './sign-in-claims.ts';

/** A person, as an access token of the identity provider proves it. */
interface ProvenPerson {
  issuer: string;
  subject: string;
  /** What rules of organizations may know. */
  claims: SignInClaims;
  /** When the token ends, in microseconds. */
  endsAt: Micros;
}

/**
 * What a token proves, or why it proves nothing: a sentence for its owner. `unavailable` is why the keys of the provider could
 * not be read.
 */
export type TokenOutcome = { person: ProvenPerson } | { refused: string } | { unavailable: Error };

/** The identity provider, for endpoints that take its access tokens (rules/agents.md#access-tokens). */
export interface AccessTokens {
  /** The issuer, exactly as its tokens name it. */
  issuer: string;
  /** What agents ask of the provider. */
  scopes: readonly string[];
  /** @param resource the address that the token has to be for */
  verify(token: string, resource: string): Promise<TokenOutcome>;
}
