import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Policies

export const policyNameKey = (org: OrganizationId, name: string): Key => ({
  pk: family(org, 'POLICYNAME', name),
  sk: 'NAME',
});
export const policyPartition = (org: OrganizationId, policy: PolicyId): string => family(org, 'POLICY', policy);
/** Name, description, and the number and digest of the newest version. */
export const policyHeadKey = (org: OrganizationId, policy: PolicyId): Key => ({
  pk: policyPartition(org, policy),
  sk: 'HEAD',
});
export const policyVersionKey = (org: OrganizationId, policy: PolicyId, version: number): Key => ({
  pk: policyPartition(org, policy),
  sk: `V#${sequence(version)}`,
});
/** The attachment of a policy to an environment. */
export const policyEnvironmentKey = (org: OrganizationId, policy: PolicyId, environment: EnvironmentId): Key => ({
  pk: policyPartition(org, policy),
  sk: `E#${environment}`,
});
