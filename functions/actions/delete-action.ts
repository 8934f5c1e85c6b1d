import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { DELETE_ACTION, deleteFound } from '#shared/notifications/delete-action.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionOrRefuse, actionParams } from './action-params.ts';

/** DELETE /actions/{org}/{action_number}: both kinds; the number is never given again (semantics §10.1). */
export const deleteAction = endpoint({
  operation: 'deleteAction',
  method: 'DELETE',
  path: '/actions/{org}/{action_number}',
  summary: 'Delete a flow action or an environment notification',
  description: 'What is still to be sent to its targets is discarded.',
  access: 'member',
  params: z.object(actionParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [actionNotFound],
  uses: DELETE_ACTION,
  handler: (request, services) =>
    deleteFound(request, services, () => actionOrRefuse(services.table, request.org, request.params.action_number)),
});
