import { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { type AccessPattern, BATCH, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const ENVIRONMENT = EnvironmentId.parse('{environment id}');
const POLICY = PolicyId.parse('{policy id}');

const rows = patternsOf(keys);

/** Access patterns of environment policies. */
export const POLICY_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Policies',
    ['Which policy has this name?', 'policyNameKey', keys.policyNameKey(ORG, '{name}'), `${ONE}; none with a hint`],
    ['Which items does a policy have?', 'policyPartition', keys.policyPartition(ORG, POLICY), RANGE],
    ['Which version is in force?', 'policyHeadKey', keys.policyHeadKey(ORG, POLICY), BATCH],
    ['What was version n of a policy?', 'policyVersionKey', keys.policyVersionKey(ORG, POLICY, 3), ONE],
    [
      'Is it attached to an environment?',
      'policyEnvironmentKey',
      keys.policyEnvironmentKey(ORG, POLICY, ENVIRONMENT),
      'with the policy',
    ],
  ),
];
