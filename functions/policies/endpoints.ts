import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getPolicy } from './get-policy.ts';
import { getPolicySchema } from './get-policy-schema.ts';
import { listPolicies } from './list-policies.ts';
import { putPolicy } from './put-policy.ts';

export const policiesGroup: EndpointGroup = {
  name: 'policies',
  about: 'What may run in an environment, in versions.',
  endpoints: [putPolicy, listPolicies, getPolicy, getPolicySchema],
};
