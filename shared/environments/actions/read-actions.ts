import type { Id } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { type ActionPlace, presentAction } from '#shared/notifications/change-action.ts';
import { listActions as readListed, type UnreadableAction } from '#shared/notifications/records/actions.ts';
import { readHealths } from '#shared/notifications/records/target-health.ts';
import type { ActionRecord, TargetHealth } from '#shared/notifications/rules/records.ts';
import { readEnvironmentNames } from '../records/environments.ts';

export type { UnreadableAction };

/** An action with the health of its targets and the present names of its flows and environments. */
export interface ActionWithNames {
  action: ActionRecord;
  /** By key of the target; without targets to which nothing was sent. */
  healths: ReadonlyMap<string, TargetHealth>;
  /** Without those of archived environments. */
  names: ReadonlyMap<Id, string>;
}

/** Reads one action (rules/notifications.md#action-record). @throws ServiceError `not-found` */
export async function getAction(stores: Pick<Stores, 'table'>, org: Organization, place: ActionPlace) {
  const action = await presentAction(stores.table, org, place);
  const describe = await readDescriptions(stores, org, [action]);
  return describe(action);
}

/**
 * Reads the actions of a kind, or of both, by number (rules/notifications.md#reading-actions). Of an action that cannot be
 * read the kind is not known, so every list has it.
 */
export async function listActions(stores: Pick<Stores, 'table'>, org: Organization, kind?: ActionRecord['kind']) {
  const found = await readListed(stores.table, org.id);
  const listed = found.filter((one) => 'unreadable' in one || kind === undefined || one.kind === kind);
  const readable = listed.flatMap((one) => ('unreadable' in one ? [] : [one]));
  const describe = await readDescriptions(stores, org, readable);
  return listed.map((one) => ('unreadable' in one ? one : describe(one)));
}

async function readDescriptions(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  actions: readonly ActionRecord[],
): Promise<(action: ActionRecord) => ActionWithNames> {
  const environments = [...new Set(actions.flatMap((action) => action.environments))];
  const [healths, flowNames, environmentNames] = await Promise.all([
    readHealths(table, org.id, actions),
    readFlowNames(table, org.id, [...new Set(actions.flatMap(({ flows }) => flows))]),
    readEnvironmentNames(table, org.id, environments, ({ archived }) => archived === null),
  ]);
  const names = new Map<Id, string>([...flowNames, ...environmentNames]);
  return (action) => ({ action, healths: healths.get(action.number) ?? new Map(), names });
}
