import * as z from 'zod';
import { ActionOut, listedActionOut } from '#functions/forms/action-output.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listActions as list } from '#shared/environments/actions/read-actions.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** Answers a bare array of actions of both kinds, by number (`rules/notifications.md#reading-actions`). */
export const listActions = endpoint({
  operation: 'listActions',
  method: 'GET',
  path: '/actions/{org}',
  summary: 'List the flow actions and environment notifications of an organization',
  access: 'reader',
  query: z.object({ type: z.enum(['flow', 'env']).optional().meta({ description: 'Only this kind' }) }),
  success: { 200: z.array(ActionOut) },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const actions = await list(stores, request.org, request.query.type);
    return { status: 200, body: actions.map(listedActionOut('actions', request)) };
  },
});
