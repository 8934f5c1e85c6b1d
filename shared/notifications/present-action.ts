import type { Organization } from '#shared/callers/caller.ts';
import type { Table } from '#shared/table/table.ts';
import { findAction } from './records/actions.ts';
import type { ActionRecord } from './rules/records.ts';
import { actionNotFound } from './rules/sentences.ts';

/** Names an action. Both kinds share the numbers (rules/notifications.md#kinds-and-numbers). */
export interface ActionPlace {
  number: number;
  /** The kind that the action must have; either without it. */
  kind?: ActionRecord['kind'];
}

/**
 * Reads the newest version of an action.
 *
 * @throws ServiceError `not-found` if there is no such action, also if it has another kind
 */
export async function presentAction(
  table: Table,
  org: Pick<Organization, 'id'>,
  { number, kind }: ActionPlace,
): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (!action || (kind !== undefined && action.kind !== kind)) throw actionNotFound();
  return action;
}
