import * as z from 'zod';
import { readUnarchivedNames } from '#shared/environments/records/environments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ActionOut, actionsOut } from '#shared/notifications/action-output.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

/** Answers an action of either kind (`rules/notifications.md#kinds-and-numbers`). */
export const getAction = endpoint({
  operation: 'getAction',
  method: 'GET',
  path: '/actions/{org}/{action_number}',
  summary: 'Get a flow action or an environment notification by number',
  access: 'reader',
  row: 14,
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ActionOut },
  errors: [actionNotFound],
  handler: async (request, { table }) => {
    const action = await actionOrRefuse(table, request.org, request.params.action_number);
    const [body] = await actionsOut(table, request, [action], readUnarchivedNames);
    if (!body) throw actionNotFound();
    return { status: 200, body };
  },
});
