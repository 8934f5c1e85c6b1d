import type { Id } from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Policies

export const policyNameKey = (org: Id, name: string): Key => ({ pk: family(org, 'POLICYNAME', name), sk: 'NAME' });
export const policyPartition = (org: Id, policy: Id): string => family(org, 'POLICY', policy);
/** Name, description, and the number and digest of the newest version. */
export const policyHeadKey = (org: Id, policy: Id): Key => ({ pk: policyPartition(org, policy), sk: 'HEAD' });
export const policyVersionKey = (org: Id, policy: Id, version: number): Key => ({
  pk: policyPartition(org, policy),
  sk: `V#${sequence(version)}`,
});
/** An environment that a policy is attached to. */
export const policyEnvironmentKey = (org: Id, policy: Id, environment: Id): Key => ({
  pk: policyPartition(org, policy),
  sk: `E#${environment}`,
});
