import * as z from 'zod';
import { readUnarchivedNames } from '#shared/environments/records/environments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { actionsOut, NotificationOut, unreadableAction } from '#shared/notifications/action-output.ts';
import { listActions, type UnreadableAction } from '#shared/notifications/records/actions.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { COLLECTION } from './notification-params.ts';

/** Answers a bare array of environment notifications, by number (`rules/notifications.md#reading-actions`). */
export const listNotifications = endpoint({
  operation: 'listEnvironmentNotifications',
  method: 'GET',
  path: COLLECTION,
  summary: 'List the environment notifications of an organization',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(NotificationOut) },
  errors: [],
  handler: async (request, { table }) => {
    const { org } = request;
    const notifications: ActionRecord[] = [];
    const unreadable: UnreadableAction[] = [];
    for (const found of await listActions(table, org.id)) {
      // The kind of an unreadable record is not known, so the list shows it.
      if ('unreadable' in found) {
        noteUnreadable('environment-notifications', request, `action ${found.number}`, found.unreadable);
        unreadable.push(found);
      } else if (found.kind === 'env') notifications.push(found);
    }
    const body = [
      ...(await actionsOut(table, request, notifications, readUnarchivedNames)),
      ...unreadable.map((one) => unreadableAction(one, request)),
    ];
    return { status: 200, body: body.toSorted((one, other) => one.number - other.number) };
  },
});
