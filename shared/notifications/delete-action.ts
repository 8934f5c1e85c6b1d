import { retrying } from '#shared/base/retry.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { actionDeleted } from './action-audit.ts';
import { deleteAction } from './records/action-writes.ts';
import type { ActionRecord } from './rules/records.ts';

/** The rights that an endpoint declares which deletes through {@link deleteFound}. */
export const DELETE_ACTION: Uses = {
  writes: ['ACTION', 'AUDIT'],
  removes: ['ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
};

/**
 * Deletes an action of either kind (`rules/notifications.md#deleting`).
 * @param find reads the action and throws if it is unknown; it is called again after each lost race
 * @returns the answer of the endpoint, or the first answer to a request that is repeated
 */
export async function deleteFound(
  request: Pick<Request, 'org' | 'caller' | 'receivedAt' | 'idempotency'>,
  { table, clock }: Pick<Services, 'table' | 'clock'>,
  find: () => Promise<ActionRecord>,
): Promise<Answer<'OK'>> {
  const { org, idempotency } = request;
  const answer = ok(200);
  const outcome = await retrying(async () => {
    const action = await find();
    const now = clock.now();
    const others = auditing(request, actionDeleted(action), claimWrites(idempotency, answer, now));
    return deleteAction(table, org.id, action, now, others);
  });
  return written(answer, outcome);
}
