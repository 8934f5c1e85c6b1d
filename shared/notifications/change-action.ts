import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import type { Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { actionDeleted, actionSaved } from './action-audit.ts';
import { type ActionPlace, presentAction } from './present-action.ts';
import { changedAction, deletionOf, type GivenAction, newAction } from './records/action-writes.ts';
import type { ActionRecord } from './rules/records.ts';

export type { GivenAction };

/** What deleting an action writes. */
export const DELETE_ACTION: Uses = {
  writes: ['ACTION', 'AUDIT'],
  removes: ['ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
};

/** A save of an action. */
interface ActionSave {
  kind: ActionRecord['kind'];
  /** The action that gets the content; null for a new one. */
  before: ActionRecord | null;
  given: GivenAction;
  /** Conditions that the transaction has besides its own. */
  guards?: readonly Write<'again'>[];
}

/**
 * Makes the transaction that creates an action or replaces its content (rules/notifications.md#saving).
 *
 * @returns the number of the action; `again` if another writer was faster
 */
export async function saveAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<number>,
  { kind, before, given, guards = [] }: ActionSave,
): Promise<number | 'again'> {
  const at = clock.now();
  const version = before
    ? await changedAction(table, by.org.id, before, given, at)
    : await newAction(table, by.org.id, kind, given, { at, by: by.caller.name });
  if (version === 'again') return version;
  const { number, writes, covers } = version;
  const saved = { ...actionSaved(kind, before, given), covers };
  const outcome = await table.transact<'again'>([...authored(by, saved, number), ...guards, ...writes]);
  return outcome === 'done' ? number : outcome;
}

/** Deletes an action (rules/notifications.md#deleting). @throws ServiceError `not-found` */
export async function deleteAction(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<void>,
  place: ActionPlace,
) {
  await retrying(async () => {
    const action = await presentAction(table, by.org, place);
    const { writes, covers } = deletionOf(by.org.id, action, clock.now());
    return table.transact<'again'>([...authored(by, { ...actionDeleted(action), covers }), ...writes]);
  });
}
