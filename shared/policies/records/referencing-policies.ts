import * as z from 'zod';
import { type OrganizationId, PolicyId, storedId } from '#shared/base/ids.ts';
import { controlPolicyPartition } from '#shared/controls/records/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { policyHeadKey } from './keys.ts';

const ReferencingPolicy = z.object({ id: PolicyId, name: z.string() });

/** Reads the ids of the policies whose newest version names a control. */
export async function readReferencingIds(table: Table, org: OrganizationId, identifier: string): Promise<PolicyId[]> {
  const items = await table.query({ pk: controlPolicyPartition(org, identifier) });
  return items.map(({ sk }) => storedId(sk));
}

/** Reads the policies whose newest version names a control, sorted by name. */
export async function readReferencingPolicies(table: Table, org: OrganizationId, identifier: string) {
  const ids = await readReferencingIds(table, org, identifier);
  const heads = await table.getMany(ids.map((id) => policyHeadKey(org, id)));
  return [...heads.values()].map((item) => ReferencingPolicy.parse(item)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
