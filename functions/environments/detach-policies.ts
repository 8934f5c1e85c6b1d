import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { CHANGE_NAMED_POLICIES, changeNamedPolicies } from '#shared/environments/settings/change-named-policies.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { PolicyNames } from './settings.ts';

/** DELETE /environments/{org}/{env_name}/policies with a body: detaches policies (rules/environments.md#attached-policies). */
export const detachPolicies = endpoint({
  operation: 'detachPolicies',
  method: 'DELETE',
  path: '/environments/{org}/{env_name}/policies',
  summary: 'Detach policies from an environment',
  description:
    'What runs in the environment is evaluated at once, and a new snapshot is stored. Without policies its state is unknown. Policies that are not attached are ignored.',
  access: 'member',
  body: { kind: 'json', schema: PolicyNames },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: CHANGE_NAMED_POLICIES,
  handler: async (request, stores: Stores) =>
    answerWrite(
      request,
      (by) => changeNamedPolicies(stores, by, 'detach', request.params.env_name, request.body.policy_names),
      okAppending(200),
    ),
});
