import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { ActionWithNames, UnreadableAction } from '#shared/environments/actions/read-actions.ts';
import type { Request } from '#shared/http/request.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { actionHealth } from '#shared/notifications/rules/health.ts';
import { TargetOut, targetOut } from './targets.ts';

/** Fields that both kinds have. No time is null; 0 = never. */
const common = {
  type: z.string().meta({ description: '`flow`, or `env` for an environment notification' }),
  number: z.int().describe('Number in the organization; actions and notifications are numbered together'),
  targets: z.array(TargetOut).describe('Where events are sent'),
  triggers: z.array(z.string()).describe('Events that are sent'),
  environments: z.array(z.string()).meta({ description: 'Present names, in the order of the request' }),
  created_by: z.string().describe('Name of the user or service account that made the record'),
  html_url: z.string().describe('Address of a page for people'),
  is_created_from_chat_app: z.boolean().describe('Whether a chat app made it; always false'),
  is_created_from_slack_app: z.boolean().meta({ description: 'Another name of `is_created_from_chat_app`' }),
  created_at: z.number().describe('When the record was made, in seconds since the epoch'),
  last_modified_at: z.number().describe('When the record changed last, in seconds since the epoch'),
  is_failing: z.boolean().meta({ description: 'Whether what was last sent to some target failed' }),
  last_success_timestamp: z.number().describe('Last successful attempt in seconds since the epoch; 0 = none'),
  last_failure_timestamp: z.number().describe('Last failed attempt in seconds since the epoch; 0 = none'),
  unreadable: z.literal(true).optional().meta({
    description: 'Set in lists where the record could not be read: only the number is the record’s own then.',
  }),
};

/** An action or environment notification as clients read it (`rules/notifications.md#action-record`). */
export const ActionOut = z
  .object({
    name: z.string().describe('Name of the action'),
    ...common,
    flows: z.array(z.string()).meta({ description: 'Present names; empty = every flow' }),
  })
  .meta({ id: 'Action' });
export type ActionOut = z.input<typeof ActionOut>;

/** A notification as its own endpoints show it: without `flows` (`rules/notifications.md#action-record`). */
export const NotificationOut = z
  .object({ name: z.string().describe('Name of the notification'), ...common })
  .meta({ id: 'EnvironmentNotification' });

/** The service has no command inside a chat application, so no action was created from one. */
const fromChatApp = { is_created_from_chat_app: false, is_created_from_slack_app: false };

const actionUrl = (at: Pick<Request, 'host' | 'org'>, number: number) =>
  pageUrl(at, '/{org}/actions/{action}', { action: String(number) });

/** Describes an action for a caller. */
export function actionOut(
  { action, healths, names }: ActionWithNames,
  at: Pick<Request, 'host' | 'org' | 'role'>,
): ActionOut {
  const { name, kind: type, number, triggers, flows, environments, targets, by, created, modified } = action;
  const known = targets.flatMap(({ key }) => healths.get(key) ?? []);
  return {
    name,
    type,
    number,
    triggers,
    created_by: by,
    targets: targets.map((target) => targetOut(target, healths.get(target.key), at.role)),
    flows: flows.flatMap((id) => names.get(id) ?? []),
    environments: environments.flatMap((id) => names.get(id) ?? []),
    html_url: actionUrl(at, number),
    ...fromChatApp,
    created_at: toSeconds(created),
    last_modified_at: toSeconds(modified),
    ...actionHealth(known),
  };
}

/** The placeholder that a list shows for an action that cannot be parsed (`rules/notifications.md#reading-actions`). */
const unreadableAction = ({ number }: UnreadableAction, at: Pick<Request, 'host' | 'org'>): ActionOut => ({
  number,
  name: '',
  type: '',
  targets: [],
  triggers: [],
  flows: [],
  environments: [],
  created_by: '',
  html_url: actionUrl(at, number),
  ...fromChatApp,
  created_at: 0,
  last_modified_at: 0,
  ...actionHealth([]),
  unreadable: true,
});

/**
 * Returns the function that describes an action of a list.
 *
 * @param group the endpoint group, which is named in the log for an action that cannot be read
 */
export const listedActionOut =
  (group: string, request: Pick<Request, 'requestId' | 'path' | 'host' | 'org' | 'role'>) =>
  (found: ActionWithNames | UnreadableAction): ActionOut => {
    if (!('unreadable' in found)) return actionOut(found, request);
    logUnreadable(group, request, `action ${found.number}`, found.unreadable);
    return unreadableAction(found, request);
  };
