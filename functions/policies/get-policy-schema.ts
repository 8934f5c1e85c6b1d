import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { POLICY_SCHEMA } from '#shared/policies/rules/schema.ts';

/** Answers the JSON Schema of policy files, to every valid credential (`rules/policies.md#schema-endpoint`). */
export const getPolicySchema = endpoint({
  operation: 'getEnvironmentPolicySchema',
  method: 'GET',
  path: '/schemas/environment-policy/v1',
  summary: 'Get the JSON Schema of environment policies, version 1',
  access: 'authenticated',
  row: 17,
  success: {
    200: z
      .looseObject({ $schema: z.string().describe('The dialect of the JSON Schema') })
      .meta({ description: 'A JSON Schema of draft 2020-12' }),
  },
  handler: async () => ({ status: 200, body: POLICY_SCHEMA }),
});
