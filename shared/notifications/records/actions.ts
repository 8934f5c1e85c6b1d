import type { OrganizationId } from '#shared/base/ids.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { ActionRecord } from '../rules/records.ts';
import { actionNameKey, actionPartition, currentActionKey, currentActionsPartition } from './keys.ts';

/**
 * Flow actions and environment notifications are one collection with one sequence of numbers per organization
 * (`rules/notifications.md#kinds-and-numbers`). Each save is an item of its own, so that an event is matched with the
 * version that was in force when the event happened, however late the relay handles the event
 * (`rules/notifications.md#version-in-force`). A deletion is the last version.
 */
export interface ActionVersions {
  /** The newest version; its `deleted` is true if the action was deleted. */
  action: ActionRecord;
  /** Oldest first. */
  versions: ActionRecord[];
}

const VERSION_DIGITS = 10;
/** No action has a number with more digits, so such a number is not looked up. */
const isPlausible = (number: number): boolean =>
  Number.isSafeInteger(number) && number > 0 && String(number).length <= VERSION_DIGITS;

const numberPrefix = (number: number): string => `${sequence(number)}#`;

/**
 * Reads every action of an organization with all its versions, by number, deleted actions too, with one Query. The
 * relay and the sweeps match events with them.
 * @throws ZodError for a stored version that does not fit its schema
 */
export async function readActions(table: Table, org: OrganizationId): Promise<ActionVersions[]> {
  const versions = (await table.query({ pk: actionPartition(org) })).map((item) => ActionRecord.parse(item));
  return [...Map.groupBy(versions, ({ number }) => number).values()].flatMap((all) => {
    const action = all.at(-1);
    return action ? [{ action, versions: all }] : [];
  });
}

/** An action that cannot be parsed. Lists show a placeholder, the log has the cause (`rules/lists.md#unreadable-records`). */
export interface UnreadableAction {
  number: number;
  unreadable: unknown;
}

/** Reads the newest versions of the actions that are not deleted, by number. They are copies, apart from the other versions. */
export async function listActions(table: Table, org: OrganizationId): Promise<(ActionRecord | UnreadableAction)[]> {
  const items = await table.query({ pk: currentActionsPartition(org), prefix: 'C#' });
  return items.map((item) => {
    const { data, error } = ActionRecord.safeParse(item);
    return data ?? { number: Number.parseInt(item.sk.slice(2), 10), unreadable: error };
  });
}

/** Reads the present names of actions by number. Those of deleted and unreadable actions are left out. */
export async function readActionNames(
  table: Table,
  org: OrganizationId,
  numbers: readonly number[],
): Promise<Map<number, string>> {
  const items = await table.getMany([...new Set(numbers)].map((number) => currentActionKey(org, number)));
  return new Map(
    [...items.values()].flatMap((item) => {
      const { data } = ActionRecord.safeParse(item);
      return data ? [[data.number, data.name] as const] : [];
    }),
  );
}

/** Reads the newest version of an action of either kind; null if no action has the number or it is deleted. */
export async function findAction(table: Table, org: OrganizationId, number: number): Promise<ActionRecord | null> {
  if (!isPlausible(number)) return null;
  const [newest] = await table.query({
    pk: actionPartition(org),
    prefix: numberPrefix(number),
    newestFirst: true,
    limit: 1,
  });
  if (!newest) return null;
  const action = ActionRecord.parse(newest);
  return action.deleted ? null : action;
}

/** Reads an action by kind and name, which are unique together (`rules/notifications.md#action-names`). */
export async function findActionByName(
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  name: string,
): Promise<ActionRecord | null> {
  const holder = await table.get(actionNameKey(org, kind, name));
  return holder ? findAction(table, org, Number(holder['number'])) : null;
}
