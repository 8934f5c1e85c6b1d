import * as z from 'zod';
import { stringify } from '#shared/base/json-text.ts';
import { retrying } from '#shared/base/retry.ts';
import { noErrors, noteError, refuseIfAny, withInput } from '#shared/base/validation.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { setSignInRules } from '#shared/organizations/records/sign-in-rules.ts';
import {
  grantsOf,
  isGranted,
  namedBy,
  type SignInGrants,
  type SignInRule,
} from '#shared/organizations/rules/sign-in-rules.ts';
import { MOST_RULES, SignInRuleForm } from '#shared/organizations/sign-in-rule-forms.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

const RulesRequest = z
  .object({
    rules: z.array(SignInRuleForm).max(MOST_RULES).meta({ description: 'All rules; an empty list lets nobody in' }),
  })
  .meta({ id: 'SignInRulesRequest' });

/** PUT /organizations/{org}/sign-in-rules: who gets in without a membership (rules/sign-in.md#sign-in-rules). */
export const putSignInRules = endpoint({
  operation: 'putSignInRules',
  method: 'PUT',
  path: '/organizations/{org}/sign-in-rules',
  summary: 'Replace the rules that let people who signed in into an organization',
  description:
    'People who sign in at the identity provider of the service get the highest role of the rules that name the domain of their verified e-mail address or one of their groups, once they joined. The operator grants an organization the domains and groups that its rules may name. A membership wins over the rules. `GET /user` shows rules and grants to administrators. The change takes effect everywhere within 30 seconds.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: RulesRequest },
  success: { 200: z.literal('OK') },
  errors: [],
  uses: { writes: ['@ORG', '@LETIN', 'AUDIT'], removes: ['@LETIN'] },
  handler: async ({ org, body, caller, receivedAt, idempotency }, { table, clock }) => {
    const answer = ok(200);
    const outcome = await retrying(async () => {
      // The organization that authentication remembers can be up to 30 seconds old.
      const current = await new Directory(table).organization(org.name);
      if (!current) throw permissionDenied();
      const claim = claimWrites(idempotency, answer, clock.now());
      refuseUngranted(body.rules, grantsOf(current));
      if (isSame(current.signInRules ?? [], body.rules)) return claimAlone(table, claim);
      return setSignInRules(table, current, body.rules, stampOf(caller, receivedAt), claim);
    });
    return { ...written(answer, outcome), distrust: { organization: org.name } };
  },
});

/** @throws ServiceError 400 with a text for each domain and group that the operator does not grant */
function refuseUngranted(rules: readonly SignInRule[], grants: SignInGrants): void {
  const errors = noErrors();
  for (const [i, rule] of rules.entries()) {
    if (isGranted(rule, grants)) continue;
    const { kind, name } = namedBy(rule);
    const text = `The ${kind} is not granted to the organization. The operator of the service grants it with 'grant-sign-in'`;
    noteError(errors, `rules[${i}].${kind}`, withInput(text, name));
  }
  refuseIfAny(errors);
}

const isSame = (one: readonly SignInRule[], other: readonly SignInRule[]): boolean =>
  stringify(one) === stringify(other);
