import * as z from 'zod';
import { ROLES, Role } from './roles.ts';
import { withInput } from './validation.ts';

/** Rules that let people who signed in into an organization without a membership (rules/sign-in.md#sign-in-rules). */

/** The most rules of one organization. */
export const MOST_RULES = 20;
/** The longest name of a group. */
export const LONGEST_GROUP = 256;

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * A host name in lower case. Letters outside of ASCII are refused: many of them look like letters of ASCII, so two domains
 * that look the same could be different.
 */
const Domain = z
  .string()
  .max(253)
  .refine((domain) => DOMAIN.test(domain), {
    error: ({ input }) => withInput('Input should be a domain in lower case, such as example.com', input),
  });

const Group = z.string().min(1).max(LONGEST_GROUP);

/** Roles that a rule about a whole domain can give. Whoever gets an address of the domain would otherwise be an admin. */
export const ROLES_OF_DOMAINS = ROLES.filter((role) => role !== 'admin');

const DomainRule = z.strictObject({
  domain: Domain.meta({
    description: 'Domain of verified e-mail addresses, without subdomains',
    pattern: DOMAIN.source,
  }),
  role: z.enum(ROLES_OF_DOMAINS).meta({ description: 'Role of these people' }),
});
const GroupRule = z.strictObject({
  group: Group.meta({ description: "Group of the provider's groups claim, compared exactly" }),
  role: Role.meta({ description: 'Role of these people' }),
});

export const SignInRule = z.union([DomainRule, GroupRule]).meta({ id: 'SignInRule' });
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
