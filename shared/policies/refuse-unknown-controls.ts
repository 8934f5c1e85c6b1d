import { noErrors, refuseIfAny } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { unknownControls } from '#shared/controls/records/controls.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/**
 * Refuses a policy that names controls which do not exist.
 *
 * @param controls identifier → the place in the file that names it
 * @throws ServiceError `invalid` with a text for each control that does not exist
 */
export async function refuseUnknownControls(table: Table, org: Organization, controls: ReadonlyMap<string, string>) {
  const errors = noErrors();
  for (const control of await unknownControls(table, org.id, [...controls.keys()])) {
    errors[controls.get(control) ?? control] = unknownControl({ control, org: org.name }).message;
  }
  refuseIfAny(errors);
}
