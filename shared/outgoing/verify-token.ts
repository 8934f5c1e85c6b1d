import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Micros } from '#shared/base/time.ts';
import { type IssuerKeys, IssuerUnavailable } from './issuer-keys.ts';

/** Algorithms of signatures that are accepted: none with a shared secret, and not `none`. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** The longest token in characters. */
const LONGEST_TOKEN = 16_384;
/** How far the clocks of issuer and service may differ, in seconds. */
const CLOCK_DIFFERENCE = 30;
/** The longest life of a token, from `iat` to `exp`, in seconds. Tokens of CI systems live as long as their jobs may run. */
const LONGEST_LIFE = 24 * 3600;

export type TokenFault =
  | 'malformed'
  | 'algorithm'
  | 'issuer_unavailable'
  | 'unknown_key'
  | 'signature'
  | 'expired'
  | 'not_yet_valid'
  | 'life'
  | 'claims';

/** A token that is refused. The message says what is wrong with it and what to do. */
export class TokenRefused extends Error {
  readonly fault: TokenFault;
  /** The claims of the token, if their signature is one of the issuer. Without it, anybody can have made the token. */
  readonly signed: JWTPayload | undefined;
  constructor(fault: TokenFault, message: string, { signed, cause }: { signed?: JWTPayload; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'TokenRefused';
    this.fault = fault;
    this.signed = signed;
  }
}

/** The claims of a token whose signature and times were verified. */
export interface VerifiedToken extends JWTPayload {
  iss: string;
  sub: string;
  exp: number;
  iat: number;
}

/** Reads the issuer that a token names, without any verification. @throws TokenRefused */
export function claimedIssuer(token: string): string {
  if (token.length > LONGEST_TOKEN) {
    throw new TokenRefused('malformed', `The token has more than ${LONGEST_TOKEN} characters`);
  }
  const iss = claimsOf(token)['iss'];
  if (typeof iss !== 'string' || iss === '') throw new TokenRefused('claims', "The token has no claim 'iss'");
  return iss;
}

function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new TokenRefused('malformed', 'The token is no signed JSON Web Token of three parts', { cause: error });
  }
}

/**
 * Verifies a token: its signature with a key of the issuer, its issuer and its times (rules/identities.md#verification). The
 * caller compares audience, nonce and other claims.
 *
 * @throws TokenRefused
 */
export async function verifyToken(
  token: string,
  issuer: string,
  { keys, now }: { keys: IssuerKeys; now: Micros },
): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, (header, input) => keys.find(issuer, header, input, now), {
    algorithms: ALGORITHMS,
    issuer,
    requiredClaims: ['sub', 'exp', 'iat'],
    clockTolerance: CLOCK_DIFFERENCE,
    currentDate: new Date(now / 1000),
    maxTokenAge: LONGEST_LIFE,
  }).catch((error: unknown) => {
    throw refusalOf(error, issuer);
  });
  // The library found `iss`, `exp` and `iat`, and its type does not say so. `sub` is checked here.
  const verified = payload as VerifiedToken;
  if (typeof verified.sub !== 'string' || verified.sub === '') {
    throw new TokenRefused('claims', "The claim 'sub' of the token should be a text", { signed: verified });
  }
  if (verified.exp - verified.iat > LONGEST_LIFE) {
    throw new TokenRefused(
      'life',
      'The token lives longer than 24 hours. Let the issuer make tokens with a shorter life',
      { signed: verified },
    );
  }
  return verified;
}

function refusalOf(error: unknown, issuer: string): unknown {
  // The library checks times and claims after the signature.
  const isSigned = error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
  const more = { cause: error, ...(isSigned && { signed: error.payload }) };
  const refused = (fault: TokenFault, message: string) => new TokenRefused(fault, message, more);
  if (error instanceof IssuerUnavailable) {
    return refused('issuer_unavailable', `The keys of the issuer ${issuer} cannot be used: ${error.message}`);
  }
  if (error instanceof errors.JWTExpired)
    return refused('expired', 'The token has expired. Ask the issuer for a new token');
  if (error instanceof errors.JWTClaimValidationFailed) return claimRefusal(error, refused);
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return refused('algorithm', `The token should be signed with one of ${ALGORITHMS.join(', ')}`);
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return refused(
      'unknown_key',
      "The key set of the issuer does not have exactly one key for the token's 'kid' and 'alg'. If the issuer changed its keys, try again in a minute",
    );
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refused('signature', 'The signature of the token is not one of the issuer. Send the token unchanged');
  }
  if (error instanceof errors.JOSEError) return refused('malformed', 'The token is no valid JSON Web Token');
  return error;
}

function claimRefusal(
  { claim, reason }: errors.JWTClaimValidationFailed,
  refused: (fault: TokenFault, message: string) => TokenRefused,
): TokenRefused {
  const isTime = claim === 'nbf' || claim === 'iat';
  if (isTime && reason === 'check_failed') {
    return refused('not_yet_valid', `The token is not valid yet: its '${claim}' is in the future. Compare the clocks`);
  }
  return refused('claims', `The claim '${claim}' of the token is missing or is not what OpenID Connect describes`);
}
