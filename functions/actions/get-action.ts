import * as z from 'zod';
import { ActionOut, actionOut } from '#functions/forms/action-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { getAction as get } from '#shared/environments/actions/read-actions.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionParams } from './action-params.ts';

/** Answers an action of either kind (`rules/notifications.md#kinds-and-numbers`). */
export const getAction = endpoint({
  operation: 'getAction',
  method: 'GET',
  path: '/actions/{org}/{action_number}',
  summary: 'Get a flow action or an environment notification by number',
  access: 'reader',
  row: 14,
  params: z.object(actionParams),
  success: { 200: ActionOut },
  errors: [actionNotFound],
  handler: async (request, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: actionOut(await get(stores, request.org, { number: request.params.action_number }), request),
  }),
});
