import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** Where the notifications of an organization are. */
export const COLLECTION = '/organizations/{org}/environments_notifications';

/** Where one is addressed: what is no whole number is 400, a number that nothing has is unknown (semantics §16.3). */
export const notificationParams = {
  org: z.string(),
  notification_number: integerField().meta({ description: 'Number of the notification, from 1 on' }),
};

/** A notification that is there. @throws ApiError 404, for a flow action's number too (semantics §10.1) */
export async function notificationOrRefuse(
  table: Table,
  org: { id: OrganizationId },
  number: number,
): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (action?.kind !== 'env') throw actionNotFound();
  return action;
}
