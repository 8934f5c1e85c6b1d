import type { FlowName } from '#shared/base/names.ts';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { resolveFlows } from '#shared/evidence/flows/resolve-flows.ts';
import type { Grade } from '#shared/evidence/rules/verification.ts';
import type { Table } from '#shared/table/table.ts';
import type { Requirements } from './rules/requirements.ts';

/** Requirements as a request gives them. */
export interface GivenRequirements {
  flows?: readonly FlowName[] | null | undefined;
  /** Names of signers. They need not exist. */
  signed_by?: readonly string[] | null | undefined;
  grade?: Grade | null | undefined;
}

/**
 * Returns what a control asks of decisions, with the ids of flows (rules/controls.md#requirements). Reads nothing unless flows are named.
 *
 * @returns `requires` is undefined if nothing is asked
 * @throws ServiceError `invalid` with a text for each name that leads to no flow, or to an archived one
 */
export async function resolveRequirements(
  table: Table,
  org: Organization,
  { flows: names, signed_by: signers, grade }: GivenRequirements,
): Promise<{ requires: Requirements | undefined }> {
  const flows = names == null ? undefined : await flowsIn(table, org, names);
  if (!flows && signers == null && grade == null) return { requires: undefined };
  return {
    requires: { ...(flows && { flows }), ...(signers && { signers: [...signers] }), ...(grade && { grade }) },
  };
}

async function flowsIn(table: Table, org: Organization, names: readonly FlowName[]) {
  const errors = noErrors();
  const flows = await resolveFlows(table, org.id, names, (i, text, name) =>
    addError(errors, `requires.flows[${i}]`, withInput(text, name)),
  );
  refuseIfAny(errors);
  return flows;
}
