import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Control, readControl } from '#shared/controls/records/controls.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { readReferencingPolicies } from './records/referencing-policies.ts';

/**
 * Reads the current state of a control, archived or not, and the names of the policies whose newest version names it
 * (rules/controls.md#get-a-control).
 *
 * @throws ServiceError `not-found`
 */
export async function getControl(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  identifier: string,
): Promise<{ control: Control; policies: string[] }> {
  const control = await readControl(table, objects, org.id, identifier);
  if (!control) throw unknownControl({ control: identifier, org: org.name });
  const policies = await readReferencingPolicies(table, org.id, identifier);
  return { control, policies: policies.map(({ name }) => name) };
}
