import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { actionSaved } from '#shared/notifications/action-audit.ts';
import { changeAction } from '#shared/notifications/records/action-writes.ts';
import { findActionByName } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { checkTargets } from '#shared/notifications/targets.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import { COLLECTION, notificationOrRefuse, notificationParams } from './notification-params.ts';
import { NotificationReport, readNotification } from './read-notification.ts';

/** Replaces the content of the notification with this number (`rules/notifications.md#saving`). */
export const changeNotification = endpoint({
  operation: 'changeEnvironmentNotification',
  method: 'PUT',
  path: `${COLLECTION}/{notification_number}`,
  summary: 'Replace the content of an environment notification, its name included',
  description: 'The number stays. Targets that answered 410 are enabled again.',
  access: 'member',
  params: z.object(notificationParams),
  query: z.object({}),
  body: { kind: 'json', schema: NotificationReport },
  success: { 200: z.literal('OK') },
  makes: { at: `${COLLECTION}/{notification_number}`, id: 'notification_number' },
  errors: [actionNotFound],
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: {
    reads: ['ACTIONSECRET'],
    writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', 'AUDIT'],
    removes: ['ACTIONNAME', 'HEALTH'],
  },
  handler: async (request, services) => {
    const { params, body, org, idempotency } = request;
    const { table, clock } = services;
    const answer = ok(200, {});
    const outcome = await retrying(async (): Promise<'done' | 'again' | EarlierRequest> => {
      // An unknown number is answered before environments that do not exist.
      const [before, { given, guard }] = await allInOrder([
        notificationOrRefuse(table, org, params.notification_number),
        readNotification(org, body, services),
      ]);
      await refuseTakenName(table, org, before, given.name);
      const now = clock.now();
      const audited = actionSaved('env', before, given);
      return changeAction<EarlierRequest | 'again'>(table, org.id, before, given, now, (covers) => [
        ...claimWrites(idempotency, answer, now),
        auditOf(request, { ...audited, covers }),
        guard,
      ]);
    });
    return written(answer, outcome);
  },
});

/** @throws ServiceError 400 if another notification has the name (`rules/notifications.md#action-names`) */
async function refuseTakenName(table: Table, org: Organization, before: ActionRecord, name: string): Promise<void> {
  if (name === before.name) return;
  const holder = await findActionByName(table, org.id, 'env', name);
  if (holder && holder.number !== before.number) {
    throw invalid({ name: `Environment notification named '${name}' already exists for organization '${org.name}'` });
  }
}
