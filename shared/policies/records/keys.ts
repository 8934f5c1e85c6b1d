import { type EnvironmentId, type OrganizationId, type PolicyId, storedId } from '#shared/base/ids.ts';
import type { PolicyName } from '#shared/base/names.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn, sequence } from '#shared/table/keys.ts';

// Policies

export const policyNameKey = (org: OrganizationId, name: PolicyName): Key =>
  keyIn(family(org, 'POLICYNAME', name), 'NAME');
/** All policies of an organization share one partition, so one Query reads all that their list shows. */
export const policyPartition = (org: OrganizationId): PartitionKey => family(org, 'POLICY');
/** Name, description, and the number and digest of the newest version. Sorts before the other items of the policy. */
export const policyHeadKey = (org: OrganizationId, policy: PolicyId): Key => keyIn(policyPartition(org), policy);
const policyItemKey = (org: OrganizationId, policy: PolicyId, item: string): Key =>
  keyIn(policyPartition(org), `${policy}#${item}`);
export const policyVersionKey = (org: OrganizationId, policy: PolicyId, version: number): Key =>
  policyItemKey(org, policy, `V#${sequence(version)}`);
/** The attachment of a policy to an environment. */
export const policyEnvironmentKey = (org: OrganizationId, policy: PolicyId, environment: EnvironmentId): Key =>
  policyItemKey(org, policy, `E#${environment}`);

/** What an item of the partition is: `kind` says it, `rest` is the environment's id or the number of the version. */
export interface PolicyItemKey {
  policy: PolicyId;
  kind: 'HEAD' | 'E' | 'V';
  rest: string;
}

/** Reads the sort key of an item of a {@link policyPartition}. */
export function readPolicyItemKey(sk: string): PolicyItemKey {
  const [policy = '', kind = 'HEAD', rest = ''] = sk.split('#');
  // Only the functions above make these sort keys.
  return { policy: storedId(policy), kind: kind as PolicyItemKey['kind'], rest };
}

/** Reads the organization from a {@link policyPartition}; null for other partitions. */
export function readPolicyPartition(pk: PartitionKey): OrganizationId | null {
  const [org = '', name, ...rest] = pk.split('#');
  return name === 'POLICY' && rest.length === 0 ? storedId(org) : null;
}
