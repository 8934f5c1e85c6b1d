import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { CHANGE_NAMED_POLICIES, changeNamedPolicies } from '#shared/environments/settings/change-named-policies.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { PolicyNames } from './settings.ts';

/** POST /environments/{org}/{env_name}/policies: attaches policies (rules/environments.md#attached-policies). */
export const attachPolicies = endpoint({
  operation: 'attachPolicies',
  method: 'POST',
  path: '/environments/{org}/{env_name}/policies',
  summary: 'Attach policies to an environment',
  description:
    'What runs in the environment is evaluated at once, and a new snapshot is stored. Policies that are attached already stay attached.',
  access: 'member',
  body: { kind: 'json', schema: PolicyNames },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: CHANGE_NAMED_POLICIES,
  handler: async (request, stores: Stores) =>
    answerWrite(
      request,
      (by) => changeNamedPolicies(stores, by, 'attach', request.params.env_name, request.body.policy_names),
      okAppending(200),
    ),
});
