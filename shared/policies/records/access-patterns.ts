import { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { AnyPolicyName } from '#shared/base/names.ts';
import { type AccessPattern, BATCH, ONE, patternsOf } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const ENVIRONMENT = EnvironmentId.parse('{environment id}');
const POLICY = PolicyId.parse('{policy id}');

const rows = patternsOf(keys);

/** Access patterns of environment policies. */
export const POLICY_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Policies',
    ['Which policy has this name?', 'policyNameKey', [ORG, AnyPolicyName.parse('{name}')], `${ONE}; none with a hint`],
    [
      'Which policies are there, with their versions and environments?',
      'policyPartition',
      [ORG],
      'Query of all, or of one policy: 1 unit per 4 KB',
    ],
    ['Which version is in force?', 'policyHeadKey', [ORG, POLICY], BATCH],
    ['What was version n of a policy?', 'policyVersionKey', [ORG, POLICY, 3], ONE],
    ['Is it attached to an environment?', 'policyEnvironmentKey', [ORG, POLICY, ENVIRONMENT], 'with the policy'],
  ),
];
