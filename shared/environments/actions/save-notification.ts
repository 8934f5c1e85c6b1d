import { invalid } from '#shared/base/errors.ts';
import type { EnvironmentId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import { noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type GivenAction, presentAction, saveAction } from '#shared/notifications/change-action.ts';
import { findActionByName } from '#shared/notifications/records/actions.ts';
import { readNotificationCounters, saveGuard } from '#shared/notifications/records/notification-counters.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { findEnvironments } from '../records/environments.ts';
import { archivedEnvironment, unknownEnvironment } from '../rules/sentences.ts';

export const PUT_NOTIFICATION: Uses = {
  writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', '@NOTIFIED', 'AUDIT'],
  removes: ['ACTIONNAME', 'HEALTH'],
};

export const CHANGE_NOTIFICATION: Uses = {
  reads: ['ACTIONSECRET'],
  writes: ['ACTION', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH', 'AUDIT'],
  removes: ['ACTIONNAME', 'HEALTH'],
};

export interface GivenNotification extends Omit<GivenAction, 'flows' | 'environments'> {
  /** Names. */
  environments: readonly EnvironmentName[];
}

/**
 * Creates the environment notification with this name, or replaces its content (rules/notifications.md#saving).
 *
 * @returns the number of the notification
 * @throws ServiceError `invalid` with a text for each wrong environment
 */
export async function putNotification(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<number>,
  notification: GivenNotification,
): Promise<number> {
  const { table } = stores;
  const { org } = by;
  return retrying(async () => {
    const [{ given, guard }, before] = await allInOrder([
      withEnvironments(table, org, notification),
      findActionByName(table, org.id, 'env', notification.name),
    ]);
    return saveAction(stores, by, { kind: 'env', before, given, guards: [guard] });
  });
}

/**
 * Replaces the content of the notification with this number, its name included (rules/notifications.md#saving).
 *
 * @returns the number
 * @throws ServiceError `not-found` if there is no such notification; `invalid` with a text for each wrong environment, and
 *   if another notification has the name
 */
export async function changeNotification(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<number>,
  number: number,
  notification: GivenNotification,
): Promise<number> {
  const { table } = stores;
  const { org } = by;
  return retrying(async () => {
    // An unknown number is answered before environments that do not exist.
    const [before, { given, guard }] = await allInOrder([
      presentAction(table, org, { number, kind: 'env' }),
      withEnvironments(table, org, notification),
    ]);
    await refuseTakenName(table, org, before, given.name);
    return saveAction(stores, by, { kind: 'env', before, given, guards: [guard] });
  });
}

/** @throws ServiceError `invalid` if another notification has the name (rules/notifications.md#action-names) */
async function refuseTakenName(table: Table, org: Organization, before: ActionRecord, name: string): Promise<void> {
  if (name === before.name) return;
  const holder = await findActionByName(table, org.id, 'env', name);
  if (holder && holder.number !== before.number) {
    throw invalid({ name: `Environment notification named '${name}' already exists for organization '${org.name}'` });
  }
}

/**
 * Finds the environments of a notification by their names or aliases
 * (rules/notifications.md#environments-of-a-notification).
 *
 * @returns the content with the ids of the environments, each once, in the order of the names; and the guard write of the
 *   save: it is refused with `again` if an environment was archived since this function read the environments
 * @throws ServiceError `invalid` with `errors.environments[n]` for each name that is unknown or archived
 */
async function withEnvironments(
  table: Table,
  org: Organization,
  notification: GivenNotification,
): Promise<{ given: GivenAction; guard: Write<'again'> }> {
  const counters = await readNotificationCounters(table, org.id);
  const found = await findEnvironments(table, org.id, notification.environments);
  const errors = noErrors();
  const environments = new Set<EnvironmentId>();
  for (const [n, name] of notification.environments.entries()) {
    const head = found.get(name);
    if (head?.archived === null) environments.add(head.id);
    else {
      const sentence = head ? archivedEnvironment : unknownEnvironment;
      errors[`environments[${n}]`] = sentence({ env: shownInput(name), org: org.name }).message;
    }
  }
  refuseIfAny(errors);
  return {
    given: { ...notification, flows: [], environments: [...environments] },
    guard: saveGuard(org.id, counters),
  };
}
