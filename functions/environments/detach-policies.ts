import * as z from 'zod';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { CHANGE_NAMED_POLICIES, changeNamedPolicies, PolicyNames } from './named-policies.ts';

/** DELETE /environments/{org}/{env_name}/policies with a body: detaches policies (rules/environments.md#attached-policies). */
export const detachPolicies = endpoint({
  operation: 'detachPolicies',
  method: 'DELETE',
  path: '/environments/{org}/{env_name}/policies',
  summary: 'Detach policies from an environment',
  description:
    'What runs in the environment is evaluated at once, and a new snapshot is stored. Without policies its state is unknown. Policies that are not attached are ignored.',
  access: 'member',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: PolicyNames },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: CHANGE_NAMED_POLICIES,
  handler: (request, services) =>
    changeNamedPolicies(request, services, (attached, named) => attached.filter((id) => !named.includes(id))),
});
