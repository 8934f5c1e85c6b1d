import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';
import { DELETE_ACTION, deleteAction as remove } from '#shared/notifications/change-action.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionParams } from './action-params.ts';

/** Deletes an action of either kind (`rules/notifications.md#deleting`). */
export const deleteAction = endpoint({
  operation: 'deleteAction',
  method: 'DELETE',
  path: '/actions/{org}/{action_number}',
  summary: 'Delete a flow action or an environment notification',
  description: 'Pending deliveries to its targets are discarded.',
  access: 'member',
  params: z.object(actionParams),
  success: { 200: z.literal('OK') },
  errors: [actionNotFound],
  uses: DELETE_ACTION,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => remove(stores, by, { number: request.params.action_number })),
});
