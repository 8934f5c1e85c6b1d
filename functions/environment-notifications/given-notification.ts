import * as z from 'zod';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { ActionName } from '#shared/evidence/rules/shared-fields.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { GivenAction } from '#shared/notifications/records/action-writes.ts';
import { readTurns, turnToSave } from '#shared/notifications/records/notification-turns.ts';
import { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { readTargets, TargetsIn } from '#shared/notifications/targets.ts';
import type { Table, Write } from '#shared/table/table.ts';

const MOST_ENVIRONMENTS = 500;
const MOST_TRIGGERS = 50;

/** What a notification says of itself; whatever else comes is ignored, times of targets among it (semantics §10.3). */
export const NotificationReport = z
  .object({
    name: ActionName,
    type: z.literal('env').nullish(),
    environments: z.array(z.string()).min(1).max(MOST_ENVIRONMENTS).meta({ description: 'Names' }),
    triggers: z.array(z.enum(ENVIRONMENT_TRIGGERS)).max(MOST_TRIGGERS).nullish().meta({
      description: '`ON_SCALED_ARTIFACT` is accepted and never fires',
    }),
    targets: TargetsIn,
  })
  .meta({ id: 'EnvironmentNotificationReport' });
type NotificationReport = z.output<typeof NotificationReport>;

/**
 * A notification fit to be stored.
 * @returns also the write that goes with it: refused with `again` where an environment may have been archived meanwhile
 * @throws ApiError 400 with a text for each target and each environment that is wrong
 */
export async function readNotification(
  org: Organization,
  { name, environments, triggers, targets: requested }: NotificationReport,
  { table, guard }: Pick<Services, 'table' | 'guard'>,
): Promise<{ given: GivenAction; turn: Write<'again'> }> {
  const { targets, secret } = readTargets(requested, guard);
  const turns = await readTurns(table, org.id);
  const ids = await environmentsOrRefuse(table, org, environments);
  return {
    given: { name, triggers: triggers ?? [], flows: [], environments: ids, targets, secret },
    turn: turnToSave(org.id, turns),
  };
}

/** The environments that names stand for, present ones and aliases, each once and in their order. */
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
