import * as z from 'zod';
import { ROLES, Role } from './roles.ts';

/** Rules that let people who signed in into an organization without a membership (rules/sign-in.md#sign-in-rules). */

/** Roles that a rule about a whole domain can give. Whoever gets an address of the domain would otherwise be an admin. */
export const RoleOfDomain = Role.exclude(['admin']);

/** A rule as it is stored. `shared/organizations/sign-in-rule-forms.ts` has its form in requests. */
export const SignInRule = z.union([
  z.object({ domain: z.string(), role: RoleOfDomain }),
  z.object({ group: z.string(), role: Role }),
]);
export type SignInRule = z.infer<typeof SignInRule>;

/** What the provider said about a person at the sign-in, as far as rules read it. It stays as it is until the next sign-in. */
export const SignInClaims = z.object({
  /** Domain of the verified e-mail address, in lower case. Absent without one, and if the stage allows no rules of domains. */
  domain: z.string().optional(),
  /** Empty if the stage allows no rules of groups. */
  groups: z.array(z.string()),
});
export type SignInClaims = z.infer<typeof SignInClaims>;

/** Returns whether a rule names something that the claims contain. */
export const isRuleFor = (rule: SignInRule, { domain, groups }: SignInClaims): boolean =>
  'domain' in rule ? rule.domain === domain : groups.includes(rule.group);

/**
 * Returns the role that the rules of an organization give to a person; undefined if no rule lets the person in. If several
 * rules do, the highest role counts.
 */
export function roleByRules(
  rules: readonly SignInRule[] | undefined,
  claims: SignInClaims | undefined,
): Role | undefined {
  if (!rules || !claims) return undefined;
  const given = new Set<Role>(rules.filter((rule) => isRuleFor(rule, claims)).map(({ role }) => role));
  return ROLES.find((role) => given.has(role));
}
