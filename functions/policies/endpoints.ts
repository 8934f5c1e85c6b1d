import { endpointGroup } from '#shared/http/endpoint.ts';
import { dryRunPolicy } from './dry-run-policy.ts';
import { getPolicySchema } from './get-policy-schema.ts';
import { putPolicy } from './put-policy.ts';
import { getPolicy, listPolicies } from './read-policies.ts';

export const policiesGroup = endpointGroup({
  name: 'policies',
  about: 'Environment policies and their versions: rules for the artifacts that may run in an environment.',
  endpoints: [putPolicy, listPolicies, getPolicy, getPolicySchema, dryRunPolicy],
});
