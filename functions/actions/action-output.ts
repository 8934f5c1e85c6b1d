import * as z from 'zod';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Id } from '#shared/ids.ts';
import { actionHealth } from '#shared/notifications/health.ts';
import type { ActionRecord, TargetHealth } from '#shared/notifications/records.ts';
import { TargetOut, targetOut } from '#shared/notifications/targets.ts';
import type { UnreadableAction } from '#shared/store/actions.ts';
import { readFlowNames } from '#shared/store/flows.ts';
import type { Table } from '#shared/store/table.ts';
import { readHealths } from '#shared/store/target-health.ts';
import { toSeconds } from '#shared/time.ts';

/** An action or environment notification as clients read it (API document «Action»); no time is null, 0 = never. */
export const ActionOut = z
  .object({
    name: z.string(),
    type: z.string().meta({ description: '`flow`, or `env` for an environment notification' }),
    number: z.int(),
    targets: z.array(TargetOut),
    triggers: z.array(z.string()),
    flows: z.array(z.string()).meta({ description: 'Present names; empty = every flow' }),
    environments: z.array(z.string()),
    created_by: z.string(),
    is_created_from_chat_app: z.boolean(),
    is_created_from_slack_app: z.boolean().meta({ description: 'Another name of `is_created_from_chat_app`' }),
    created_at: z.number(),
    last_modified_at: z.number(),
    is_failing: z.boolean().meta({ description: 'Whether what was last sent to some target failed' }),
    last_success_timestamp: z.number(),
    last_failure_timestamp: z.number(),
    unreadable: z.literal(true).optional().meta({
      description: 'Set in lists where the record could not be read: only the number is the record’s own then.',
    }),
  })
  .meta({ id: 'Action' });
export type ActionOut = z.input<typeof ActionOut>;

/** Actions are made by requests alone: there is no chat app with a command that makes them (semantics §10.1). */
const fromChatApp = { is_created_from_chat_app: false, is_created_from_slack_app: false };

/** Actions with the present names of what they are for and the health of their targets: two reads side by side. */
export async function actionsOut(
  table: Table,
  org: Pick<Organization, 'id'>,
  actions: readonly ActionRecord[],
): Promise<ActionOut[]> {
  const [healths, flowNames] = await Promise.all([
    readHealths(table, org.id, actions),
    readFlowNames(table, org.id, [...new Set(actions.flatMap(({ flows }) => flows))]),
  ]);
  return actions.map((action) => actionOut(action, healths.get(action.number), flowNames));
}

function actionOut(
  action: ActionRecord,
  healths: ReadonlyMap<string, TargetHealth> | undefined,
  flowNames: ReadonlyMap<Id, string>,
): ActionOut {
  const { name, kind: type, number, triggers, flows, environments, targets, by, created, modified } = action;
  const known = targets.flatMap(({ key }) => healths?.get(key) ?? []);
  return {
    ...{ name, type, number, triggers, environments, created_by: by },
    targets: targets.map((target) => targetOut(target, healths?.get(target.key))),
    flows: flows.flatMap((id) => flowNames.get(id) ?? []),
    ...fromChatApp,
    created_at: toSeconds(created),
    last_modified_at: toSeconds(modified),
    ...actionHealth(known),
  };
}

/** What stands in a list for an action that could not be read. */
export const unreadableAction = ({ number }: UnreadableAction): ActionOut => ({
  ...{ number, name: '', type: '', targets: [], triggers: [], flows: [], environments: [], created_by: '' },
  ...fromChatApp,
  ...{ created_at: 0, last_modified_at: 0 },
  ...actionHealth([]),
  unreadable: true,
});
