import * as z from 'zod';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { ActionName } from '#shared/evidence/rules/shared-fields.ts';
import type { Services } from '#shared/http/services.ts';
import type { GivenAction } from '#shared/notifications/records/action-writes.ts';
import { readNotificationCounters, saveGuard } from '#shared/notifications/records/notification-counters.ts';
import { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { TargetsIn } from '#shared/notifications/target-request.ts';
import { readTargets } from '#shared/notifications/targets.ts';
import type { Table, Write } from '#shared/table/table.ts';

const MOST_ENVIRONMENTS = 500;
const MOST_TRIGGERS = 50;

/** The body of the request. Other fields are ignored, also times inside targets (`rules/notifications.md#saving`). */
export const NotificationReport = z
  .object({
    name: ActionName,
    type: z.literal('env').nullish(),
    environments: z.array(z.string()).min(1).max(MOST_ENVIRONMENTS).meta({ description: 'Names' }),
    triggers: z.array(z.enum(ENVIRONMENT_TRIGGERS)).min(1).max(MOST_TRIGGERS).meta({
      description: '`ON_SCALED_ARTIFACT` is accepted and never fires',
    }),
    targets: TargetsIn,
  })
  .meta({ id: 'EnvironmentNotificationReport' });
type NotificationReport = z.output<typeof NotificationReport>;

/**
 * Checks the content of a notification and finds its environments.
 * @returns the content, and the guard write of the save: it is refused with `again` if an environment was archived
 *   since this function read the environments
 * @throws ServiceError 400 with a text for each wrong target and each wrong environment
 */
export async function readNotification(
  org: Organization,
  { name, environments, triggers, targets: requested }: NotificationReport,
  { table, guard: addressGuard }: Pick<Services, 'table' | 'guard'>,
): Promise<{ given: GivenAction; guard: Write<'again'> }> {
  const { targets, secret } = readTargets(requested, addressGuard);
  const counters = await readNotificationCounters(table, org.id);
  const ids = await environmentsOrRefuse(table, org, environments);
  return {
    given: { name, triggers, flows: [], environments: ids, targets, secret },
    guard: saveGuard(org.id, counters),
  };
}

/**
 * Finds environments by their names or aliases (`rules/notifications.md#environments-of-a-notification`).
 * @returns the ids of the environments, each once, in the order of the names
 * @throws ServiceError 400 with `errors.environments[n]` for each name that is unknown or archived
 */
async function environmentsOrRefuse(
  table: Table,
  org: Organization,
  names: readonly string[],
): Promise<EnvironmentId[]> {
  const found = await findEnvironments(table, org.id, names);
  const errors = noErrors();
  const ids = new Set<EnvironmentId>();
  for (const [n, name] of names.entries()) {
    const head = found.get(name);
    if (head?.archived === null) ids.add(head.id);
    else {
      const sentence = head ? archivedEnvironment : unknownEnvironment;
      errors[`environments[${n}]`] = sentence({ env: shownInput(name), org: org.name }).message;
    }
  }
  refuseIfAny(errors);
  return [...ids];
}
