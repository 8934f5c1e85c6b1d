import * as z from 'zod';
import { withInput } from '#shared/base/validation.ts';
import { Role } from '#shared/callers/roles.ts';
import { LONGEST_GROUP } from '#shared/organizations/rules/sign-in.ts';
import { RoleOfDomain } from '#shared/organizations/rules/sign-in-rules.ts';

/** Sign-in rules in requests and answers (rules/sign-in.md#sign-in-rules). */

/** The most rules of one organization. */
export const MOST_RULES = 20;

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * A host name in lower case. Letters outside of ASCII are refused: many of them look like letters of ASCII, so two domains
 * that look the same could be different.
 */
export const Domain = z
  .string()
  .max(253)
  .refine((domain) => DOMAIN.test(domain), {
    error: ({ input }) => withInput('Input should be a domain in lower case, such as example.com', input),
  });

/** A group, exactly as the groups claim of the stage's one identity provider has it. */
export const Group = z.string().min(1).max(LONGEST_GROUP);

const DomainRule = {
  domain: Domain.meta({
    description: 'Domain of verified e-mail addresses, without subdomains',
    pattern: DOMAIN.source,
  }),
  role: RoleOfDomain.meta({ description: 'Role of these people' }),
};
const GroupRule = {
  group: Group.meta({ description: "Group of the provider's groups claim, compared exactly" }),
  role: Role.meta({ description: 'Role of these people' }),
};

export const SignInRuleForm = z
  .union([z.strictObject(DomainRule), z.strictObject(GroupRule)])
  .meta({ id: 'SignInRule' });

const granted = z
  .boolean()
  .meta({ description: 'Whether the operator grants the name. Without a grant, the rule has no effect' });
/** A rule in answers. */
export const SignInRuleOut = z
  .union([z.object({ ...DomainRule, granted }), z.object({ ...GroupRule, granted })])
  .meta({ id: 'GrantedSignInRule' });
