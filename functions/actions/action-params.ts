import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/**
 * Path parameters of one action. A text that is no positive integer is 400, a number that no action has is 404
 * (`rules/notifications.md#kinds-and-numbers`).
 */
export const actionParams = {
  org: z.string(),
  action_number: integerField({ min: 1 }).meta({ description: 'Number of the action, from 1 on' }),
};

/** Reads an action of either kind. @throws ServiceError 404 if no action has the number */
export async function actionOrRefuse(table: Table, org: { id: OrganizationId }, number: number): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (!action) throw actionNotFound();
  return action;
}
