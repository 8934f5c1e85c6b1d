import * as z from 'zod';
import { AnyPolicyName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_NAMED_POLICIES, changeNamedPolicies } from '#shared/environments/change-policies.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';

/** Unknown fields are refused (rules/environments.md#attached-policies). */
const PolicyNames = z
  .strictObject({ policy_names: z.array(AnyPolicyName).max(1000).describe('Names of policies') })
  .meta({ id: 'PolicyNames', description: 'Names of policies.' });

/** …/policies: attaches or detaches policies (rules/environments.md#attached-policies). */
const changePolicies = <const M extends 'POST' | 'DELETE'>(
  change: 'attach' | 'detach',
  definition: { operation: string; method: M; summary: string; description: string },
) =>
  endpoint({
    ...definition,
    path: '/environments/{org}/{env_name}/policies',
    access: 'member',
    body: { kind: 'json', schema: PolicyNames },
    success: { 200: z.literal('OK') },
    errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
    appends: '/receipts/{org}/environments/{env_name}/{number}',
    uses: CHANGE_NAMED_POLICIES,
    handler: async (request, stores: Stores) =>
      answerWrite(
        request,
        (by) => changeNamedPolicies(stores, by, change, request.params.env_name, request.body.policy_names),
        okAppending(200),
      ),
  });

export const attachPolicies = changePolicies('attach', {
  operation: 'attachPolicies',
  method: 'POST',
  summary: 'Attach policies to an environment',
  description:
    'What runs in the environment is evaluated at once, and a new snapshot is stored. Policies that are attached already stay attached.',
});

export const detachPolicies = changePolicies('detach', {
  operation: 'detachPolicies',
  method: 'DELETE',
  summary: 'Detach policies from an environment',
  description:
    'What runs in the environment is evaluated at once, and a new snapshot is stored. Without policies its state is unknown. Policies that are not attached are ignored.',
});
