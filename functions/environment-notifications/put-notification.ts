import * as z from 'zod';
import { allInOrder } from '#shared/base/parallel.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { actionSaved } from '#shared/notifications/action-audit.ts';
import { changeAction, createAction } from '#shared/notifications/records/action-writes.ts';
import { findActionByName } from '#shared/notifications/records/actions.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { checkTargets } from '#shared/notifications/targets.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { COLLECTION } from './notification-params.ts';
import { NotificationReport, readNotification } from './read-notification.ts';

/** Creates the environment notification with this name, or replaces its content (`rules/notifications.md#saving`). */
export const putNotification = endpoint({
  operation: 'putEnvironmentNotification',
  method: 'PUT',
  path: COLLECTION,
  summary: 'Create an environment notification, or update the one with this name',
  description: 'The number stays over all updates. Targets that answered 410 are enabled again.',
  access: 'member',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: NotificationReport },
  success: { 200: z.literal('OK') },
  makes: { at: `${COLLECTION}/{notification_number}`, id: 'notification_number' },
  errors: [],
  checks: [({ sent }, { guard }) => checkTargets(sent, guard)],
  uses: {
    writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', '@NOTIFIED', 'AUDIT'],
    removes: ['ACTIONNAME', 'HEALTH'],
  },
  handler: async (request, services) => {
    const { body, org, caller, idempotency } = request;
    const { table, clock } = services;
    const minted = mintSecret();
    let answer = ok(200);
    const outcome = await retrying(async (): Promise<'done' | 'again' | EarlierRequest> => {
      const [{ given, guard }, before] = await allInOrder([
        readNotification(org, body, services),
        findActionByName(table, org.id, 'env', body.name),
      ]);
      const at = clock.now();
      const audited = actionSaved('env', before, given);
      const claim = (number: number, covers: readonly Cover[]): Write<'again' | EarlierRequest>[] => {
        answer = ok(200, { notification_number: String(number) });
        return [...claimWrites(idempotency, answer, at), auditOf(request, { ...audited, covers }), guard];
      };
      return before
        ? changeAction(table, org.id, before, given, at, (covers) => claim(before.number, covers))
        : createAction(table, org.id, 'env', given, given.secret ?? minted, { at, by: caller.name }, claim);
    });
    return written(answer, outcome);
  },
});
