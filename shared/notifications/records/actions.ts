import type { OrganizationId } from '#shared/base/ids.ts';
import { sequence } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { ActionRecord } from '../rules/records.ts';
import { actionNameKey, actionPartition } from './keys.ts';

/**
 * Actions and environment notifications: one collection with one sequence of numbers per organization (semantics
 * §10.1). Every save is an item of its own, so that an event meets the action as it was at the event's time, however
 * late the event is told. A deletion is the last version.
 */
export interface ActionVersions {
  /** The newest version; `deleted` where the action is gone. */
  action: ActionRecord;
  /** Oldest first. */
  versions: ActionRecord[];
}

const VERSION_DIGITS = 10;
/** A number with more digits was never given: nothing is looked up under it. */
const isPlausible = (number: number): boolean =>
  Number.isSafeInteger(number) && number > 0 && String(number).length <= VERSION_DIGITS;

const numberPrefix = (number: number): string => `${sequence(number)}#`;

/**
 * Every action that the organization ever had, by number, deleted ones too: one Query. For those who tell events.
 * @throws ZodError for a stored version that does not fit its schema
 */
export async function readActions(table: Table, org: OrganizationId): Promise<ActionVersions[]> {
  const versions = (await table.query({ pk: actionPartition(org) })).map((item) => ActionRecord.parse(item));
  return [...Map.groupBy(versions, ({ number }) => number).values()].flatMap((all) => {
    const action = all.at(-1);
    return action ? [{ action, versions: all }] : [];
  });
}

/** An action that could not be read: lists show a placeholder in its place, and the log why (house style 17). */
export interface UnreadableAction {
  number: number;
  unreadable: unknown;
}

/** The actions that are there now, by number. */
export async function listActions(table: Table, org: OrganizationId): Promise<(ActionRecord | UnreadableAction)[]> {
  const items = await table.query({ pk: actionPartition(org) });
  const newest = new Map(items.map((item) => [Number.parseInt(item.sk, 10), item]));
  return [...newest]
    .map(([number, item]) => readable(number, item))
    .filter((action) => 'unreadable' in action || !action.deleted);
}

function readable(number: number, item: Item): ActionRecord | UnreadableAction {
  const { data, error } = ActionRecord.safeParse(item);
  return data ?? { number, unreadable: error };
}

/** An action of either kind as it is now; null where it never was or is deleted. */
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

/** An action by kind and name, which together are unique in an organization (semantics §10.1). */
export async function findActionByName(
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  name: string,
): Promise<ActionRecord | null> {
  const holder = await table.get(actionNameKey(org, kind, name));
  return holder ? findAction(table, org, Number(holder['number'])) : null;
}
