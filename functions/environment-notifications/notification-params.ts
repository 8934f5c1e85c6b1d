import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** Path of the notifications of an organization. */
export const COLLECTION = '/organizations/{org}/environments_notifications';

/**
 * Path parameters of one notification. A text that is no positive integer is 400, a number that no notification has
 * is 404 (`rules/notifications.md#kinds-and-numbers`).
 */
export const notificationParams = {
  org: z.string(),
  notification_number: integerField({ min: 1 }).meta({ description: 'Number of the notification, from 1 on' }),
};

/** Reads a notification. @throws ServiceError 404 if no notification has the number, also if a flow action has it */
export async function notificationOrRefuse(
  table: Table,
  org: { id: OrganizationId },
  number: number,
): Promise<ActionRecord> {
  const action = await findAction(table, org.id, number);
  if (action?.kind !== 'env') throw actionNotFound();
  return action;
}
