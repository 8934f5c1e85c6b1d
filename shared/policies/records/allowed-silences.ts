import type { OrganizationId, PolicyId } from '#shared/base/ids.ts';
import type { Duration } from '#shared/base/time.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import { POLICIES } from '../rules/series-kinds.ts';

/**
 * Reads the `max_silence` of the newest versions of all policies, by id (rules/policies.md#max-silence), from the catalogue: one call,
 * and about a unit for 60 policies. Policies without it are left out. The parser of policies is not needed, and large.
 */
export async function readAllowedSilences(table: Table, org: OrganizationId): Promise<ReadonlyMap<PolicyId, Duration>> {
  const listed = await readCatalogue(table, org, POLICIES);
  const limits = new Map<PolicyId, Duration>();
  for (const { id, entry } of listed.values()) if (typeof entry['q'] === 'number') limits.set(id, entry['q']);
  return limits;
}
