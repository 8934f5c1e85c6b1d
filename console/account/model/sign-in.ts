import type { SignInProblem } from '#shared/console/sign-in-problems.ts';

interface Explanation {
  sentence: string;
  remedy: string;
}

/** Why a sign-in with the provider failed, and what a person can do. */
const EXPLANATIONS: Readonly<Record<SignInProblem, Explanation>> = {
  not_let_in: {
    sentence: 'You are signed in at the provider, but no organization of this service lets you in.',
    remedy:
      'Ask an administrator of your organization for a rule that lets you in, or the operator of this service to add you with your e-mail address.',
  },
  email_not_verified: {
    sentence: 'The provider does not say that your e-mail address is verified, so it does not count here.',
    remedy: 'Verify the address at the provider, and sign in again.',
  },
  other_person: {
    sentence: 'Your e-mail address belongs to a user who signed in before with another account of the provider.',
    remedy: 'If both accounts are yours, ask the operator of this service to identify the user anew.',
  },
  expired: {
    sentence: 'This sign-in took longer than ten minutes, was used before, or began in another browser or tab.',
    remedy: 'Sign in again.',
  },
  refused_by_provider: {
    sentence: 'The provider refused the sign-in.',
    remedy: 'Sign in again. If the provider refuses you again, ask its administrator whether you may use this service.',
  },
  provider_failed: {
    sentence: 'The provider does not answer as it should.',
    remedy: 'Try again in a minute. If it fails again, give the code to the operator of this service.',
  },
  token_refused: {
    sentence: 'This service does not accept what the provider says about you.',
    remedy: 'Sign in again. If it fails again, give the code to the operator of this service.',
  },
  no_provider: {
    sentence: 'This service has no provider to sign in with.',
    remedy: 'Sign in with an API key.',
  },
};

export const explanationOf = (problem: SignInProblem): Explanation => EXPLANATIONS[problem];

/** What people know a provider by: the host of its issuer. */
export const providerName = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

const RENEWED_BELOW_SECONDS = 1_800;
const TRIED_EVERY_SECONDS = 300;

/** Whether a credential is the session of a sign-in at the identity provider. */
export const isOfSignIn = ({ kind, api_key_id }: { kind: string; api_key_id: string | null }): boolean =>
  kind === 'session' && api_key_id === null;

/**
 * Whether to renew the session now, when the person uses the console. Only the session of a sign-in can be renewed. At the end
 * of its longest time a renewal changes nothing, so the next try waits.
 *
 * @param now seconds
 * @param triedAt time of the last try, in seconds
 */
export function isRenewalDue(
  { expires_at, ...credential }: { kind: string; api_key_id: string | null; expires_at: number },
  now: number,
  triedAt: number,
): boolean {
  return isOfSignIn(credential) && expires_at - now < RENEWED_BELOW_SECONDS && now - triedAt >= TRIED_EVERY_SECONDS;
}

/** The one-time token of a link `…/-/sign-in#once=…`; null if the address has none. */
export const onceOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, '')).get('once');

/** The token against forgery, which writes send back as a header; '' without a session (rules/requests.md#csrf-token). */
export const csrfTokenOf = (cookies: string): string =>
  /(?:^|; )(?:__Host-)?session-csrf=([^;]*)/.exec(cookies)?.[1] ?? '';
