import * as z from 'zod';
import { MOST_RULES, SignInRuleForm } from '#functions/forms/sign-in-rule-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { PUT_SIGN_IN_RULES, putSignInRules as put } from '#shared/organizations/sign-in/change-rules.ts';

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
  body: { kind: 'json', schema: RulesRequest },
  success: { 200: z.literal('OK') },
  uses: PUT_SIGN_IN_RULES,
  handler: async (request, stores: Pick<Stores, 'table'>) =>
    answerWrite(
      request,
      (by) => put(stores, by, request.body.rules),
      () => ({ ...ok(200), distrust: { organization: request.org.name } }),
    ),
});
