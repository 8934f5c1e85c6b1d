import type { Environment } from '#shared/base/env.ts';
import type { AccessTokens } from '#shared/callers/access-tokens.ts';
import { accessTokensOf } from '#shared/organizations/sign-in/access-tokens.ts';

/** Returns what verifies access tokens in a deployed function; undefined if its stage has no identity provider. */
export function deployedAccessTokens(
  settings: Environment,
  services: Parameters<typeof accessTokensOf>[1],
): AccessTokens | undefined {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_SCOPES: scopes, SIGN_IN_GROUPS_CLAIM: groupsClaim } = settings;
  return issuer === undefined
    ? undefined
    : accessTokensOf({ issuer, scopes, groupsClaim, rules: settings.SIGN_IN_RULES }, services);
}
