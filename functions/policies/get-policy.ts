import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { readPolicyByName } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { assertReadable, PolicyOut, policyOut } from './policy-output.ts';

/** Answers a policy with all its versions (`rules/policies.md#policy-record`). */
export const getPolicy = endpoint({
  operation: 'getPolicy',
  method: 'GET',
  path: '/policies/{org}/{policy}',
  summary: 'Get an environment policy',
  access: 'reader',
  params: z.object({ org: z.string(), policy: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: PolicyOut },
  errors: [unknownPolicy],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, { table, objects }) => {
    const policy = await readPolicyByName(table, org.id, params.policy);
    if (!policy) throw unknownPolicy({ policy: params.policy, org: org.name });
    assertReadable([policy]);
    return { status: 200, body: await policyOut(objects, { org, host }, policy) };
  },
});
