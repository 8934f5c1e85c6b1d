import * as z from 'zod';
import { type OrganizationId, PolicyId, storedId } from '#shared/base/ids.ts';
import { controlPolicyPartition } from '#shared/controls/records/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { policyHeadKey } from './keys.ts';

const ReferencingPolicy = z.object({ id: PolicyId, name: z.string() });

/** Reads the policies whose newest version names a control, sorted by name. */
export async function readReferencingPolicies(table: Table, org: OrganizationId, identifier: string) {
  const items = await table.query({ pk: controlPolicyPartition(org, identifier) });
  const heads = await table.getMany(items.map(({ sk }) => policyHeadKey(org, storedId(sk))));
  return [...heads.values()].map((item) => ReferencingPolicy.parse(item)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
