import * as z from 'zod';
import { ROLES, Role } from '#shared/callers/roles.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';

/** Rules that let people who signed in into an organization without a membership (rules/sign-in.md#sign-in-rules). */

/** Roles that a rule about a whole domain can give. Whoever gets an address of the domain would otherwise be an admin. */
export const RoleOfDomain = Role.exclude(['admin']);

/** A rule as it is stored. `functions/forms/sign-in-rule-forms.ts` has its form in requests. */
export const SignInRule = z.union([
  z.object({ domain: z.string(), role: RoleOfDomain }),
  z.object({ group: z.string(), role: Role }),
]);
export type SignInRule = z.infer<typeof SignInRule>;

/** The domains and groups that the operator lets an organization name in its rules (rules/sign-in.md#grants). */
export const SignInGrants = z.object({ domains: z.array(z.string()), groups: z.array(z.string()) });
export type SignInGrants = z.infer<typeof SignInGrants>;
const NO_GRANTS: SignInGrants = { domains: [], groups: [] };

/** What an organization says about people who sign in. Both are absent in organizations that never had any. */
export interface LettingIn {
  signInRules?: readonly SignInRule[] | undefined;
  signInGrants?: SignInGrants | undefined;
}

/** Returns the grants of an organization. */
export const grantsOf = ({ signInGrants = NO_GRANTS }: Pick<LettingIn, 'signInGrants'>): SignInGrants => signInGrants;

/** Returns the domain or the group that a rule names. */
export const namedBy = (rule: SignInRule): { kind: 'domain' | 'group'; name: string } =>
  'domain' in rule ? { kind: 'domain', name: rule.domain } : { kind: 'group', name: rule.group };

/** Returns whether the domain or the group of a rule is granted. Without a grant, a rule has no effect. */
export const isGranted = (rule: SignInRule, { domains, groups }: SignInGrants): boolean =>
  'domain' in rule ? domains.includes(rule.domain) : groups.includes(rule.group);

/** Returns whether a rule names something that the claims contain. */
const isRuleFor = (rule: SignInRule, { domain, groups }: SignInClaims): boolean =>
  'domain' in rule ? rule.domain === domain : groups.includes(rule.group);

/**
 * Returns the rule that lets a person into an organization; undefined if none does. If several rules do, the rule with the
 * highest role counts. Grants are looked at here, at each use, so a revoked grant ends the effect of its rules.
 */
export function ruleFor(
  { signInRules = [], ...organization }: LettingIn,
  claims: SignInClaims | undefined,
): SignInRule | undefined {
  if (!claims) return undefined;
  const grants = grantsOf(organization);
  const fitting = signInRules.filter((rule) => isGranted(rule, grants) && isRuleFor(rule, claims));
  return ROLES.flatMap((role) => fitting.filter((rule) => rule.role === role))[0];
}
