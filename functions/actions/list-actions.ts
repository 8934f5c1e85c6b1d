import * as z from 'zod';
import { readUnarchivedNames } from '#shared/environments/records/environments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { ActionOut, actionsOut, unreadableAction } from '#shared/notifications/action-output.ts';
import { listActions as readAll, type UnreadableAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';

/** Answers a bare array of actions of both kinds, by number (`rules/notifications.md#reading-actions`). */
export const listActions = endpoint({
  operation: 'listActions',
  method: 'GET',
  path: '/actions/{org}',
  summary: 'List the flow actions and environment notifications of an organization',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({ type: z.enum(['flow', 'env']).optional().meta({ description: 'Only this kind' }) }),
  body: { kind: 'none' },
  success: { 200: z.array(ActionOut) },
  errors: [],
  handler: async (request, { table }) => {
    const { query, org } = request;
    const actions: ActionRecord[] = [];
    const unreadable: UnreadableAction[] = [];
    for (const found of await readAll(table, org.id)) {
      if ('unreadable' in found) {
        noteUnreadable('actions', request, `action ${found.number}`, found.unreadable);
        unreadable.push(found);
      } else if (query.type === undefined || found.kind === query.type) actions.push(found);
    }
    const body = [
      ...(await actionsOut(table, request, actions, readUnarchivedNames)),
      ...unreadable.map((one) => unreadableAction(one, request)),
    ];
    return { status: 200, body: body.toSorted((a, b) => a.number - b.number) };
  },
});
