import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** Where one action is addressed: what is no whole number is 400, a number that nothing has is unknown (semantics §16.3). */
export const actionParams = {
  org: z.string(),
  action_number: integerField().meta({ description: 'Number of the action, from 1 on' }),
};

/** An action of either kind that is there. @throws ApiError 404 */
export async function actionOrRefuse(table: Table, org: { id: OrganizationId }, number: number): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (!action) throw actionNotFound();
  return action;
}
