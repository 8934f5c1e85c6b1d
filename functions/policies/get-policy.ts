import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getPolicy as get } from '#shared/policies/read-policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { PolicyOut, policyOut } from './policy-output.ts';

/** Answers a policy with all its versions (`rules/policies.md#policy-record`). */
export const getPolicy = endpoint({
  operation: 'getPolicy',
  method: 'GET',
  path: '/policies/{org}/{policy}',
  summary: 'Get an environment policy',
  access: 'reader',
  success: { 200: PolicyOut },
  errors: [unknownPolicy],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => ({
    status: 200,
    body: policyOut({ org, host }, await get(stores, org, params.policy)),
  }),
});
