import { retrying } from '#shared/base/retry.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { actionDeleted } from './action-audit.ts';
import { deleteAction } from './records/action-writes.ts';
import type { ActionRecord } from './rules/records.ts';

/** What an endpoint declares that deletes through {@link deleteFound}. */
export const DELETE_ACTION: Uses = { writes: ['ACTION', 'AUDIT'], removes: ['ACTIONNAME', 'ACTIONSECRET'] };

/**
 * Deletes an action of either kind; its number is never given again (semantics §10.1).
 * @param find the action as it is now; throws where it is unknown, and is asked again when another writer was first
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
    const audited = auditOf(request, actionDeleted(action));
    return deleteAction(table, org.id, action, now, [...claimWrites(idempotency, answer, now), audited]);
  });
  return written(answer, outcome);
}
