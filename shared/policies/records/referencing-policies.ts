import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import { controlPolicyPartition } from '#shared/controls/records/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { policyHeadKey } from './keys.ts';

const ReferencingPolicy = z.object({ id: z.string(), name: z.string() });

/** Policies whose newest version names a control (semantics §7.1), by name. */
export async function readReferencingPolicies(
  table: Table,
  org: Id,
  identifier: string,
): Promise<{ id: Id; name: string }[]> {
  const items = await table.query({ pk: controlPolicyPartition(org, identifier) });
  const heads = await table.getMany(items.map(({ sk }) => policyHeadKey(org, sk)));
  return [...heads.values()].map((item) => ReferencingPolicy.parse(item)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
