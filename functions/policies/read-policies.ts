import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { getPolicy as get, listPolicies as list } from '#shared/policies/read-policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { PolicyOut, policyOut, unreadablePolicy } from './policy-output.ts';

/** Answers a bare array of all policies with all their versions, by name (`rules/policies.md#policy-record`). */
export const listPolicies = endpoint({
  operation: 'listPolicies',
  method: 'GET',
  path: '/policies/{org}',
  summary: 'List the environment policies of an organization',
  access: 'reader',
  success: { 200: z.array(PolicyOut) },
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const policies = await list(stores, request.org);
    const shown = policies.map((policy) => {
      if (!('unreadable' in policy)) return policyOut(request, policy);
      logUnreadable('policies', request, `policy ${policy.name}`, policy.unreadable);
      return unreadablePolicy(request, policy.name);
    });
    return { status: 200, body: shown.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
  },
});

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
