import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Uses } from '#shared/table/uses.ts';
import { actionDeleted } from './action-audit.ts';
import { type ActionPlace, presentAction } from './present-action.ts';
import { deleteAction as removeAction } from './records/action-writes.ts';

/** What deleting an action writes. */
export const DELETE_ACTION: Uses = {
  writes: ['ACTION', 'AUDIT'],
  removes: ['ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
};

/**
 * Deletes an action (rules/notifications.md#deleting).
 *
 * @throws ServiceError `not-found`
 */
export async function deleteAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  place: ActionPlace,
) {
  const { org } = by;
  await retrying(async () => {
    const action = await presentAction(table, org, place);
    return removeAction(table, org.id, action, clock.now(), (covers) =>
      authored(by, { ...actionDeleted(action), covers }),
    );
  });
}
