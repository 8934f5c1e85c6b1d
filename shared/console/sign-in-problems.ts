/**
 * Why a sign-in with the provider did not succeed: the values of the parameter `problem` of the page `/-/sign-in`
 * (rules/sign-in.md#problems).
 */
export const SIGN_IN_PROBLEMS = [
  'not_let_in',
  'email_not_verified',
  'other_person',
  'expired',
  'refused_by_provider',
  'provider_failed',
  'token_refused',
  'no_provider',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** The form of the parameter `reason`, which names the cause for the operator: a code and never a text. */
export const REASON_PATTERN = /^[a-z0-9_]{1,64}$/;

/** Returns the address of the page that explains a problem. */
export function problemPath(problem: SignInProblem, next: string, reason?: string): string {
  const query = new URLSearchParams({
    problem,
    ...(reason !== undefined && REASON_PATTERN.test(reason) && { reason }),
    ...(next !== '/' && { next }),
  });
  return `/-/sign-in?${query}`;
}
