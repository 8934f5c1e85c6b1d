import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, listField, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { listDeliveries as list, readCursor } from '#shared/notifications/list-deliveries.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionParams } from './action-params.ts';
import { DeliveryOut, deliveryOut, unreadableDelivery } from './delivery-output.ts';

/** Lists the deliveries of an action, newest event first (`rules/notifications.md#list-of-deliveries`). */
export const listDeliveries = endpoint({
  operation: 'listDeliveries',
  method: 'GET',
  path: '/actions/{org}/{action_number}/deliveries',
  summary: 'List the deliveries of an action with their attempts',
  description:
    'Newest event first. `next_cursor` of a page is the `cursor` of the next one; on the last page it is null.',
  access: 'reader',
  params: z.object(actionParams),
  query: z.object({
    include: listField(z.enum(['message']))
      .default([])
      .meta({ description: '`message`: also what each target gets' }),
    ...cursorFields('Deliveries'),
  }),
  success: {
    200: z
      .object({
        deliveries: z.array(DeliveryOut).describe('The deliveries of the page, newest first'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'DeliveriesPage' }),
  },
  errors: [actionNotFound],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, query, org } = request;
    const { cursor, per_page: limit, include } = query;
    const host = include.includes('message') ? request.host : undefined;
    const after = placeBefore(cursor, (given) => readCursor(org.id, params.action_number, given));
    const page = await list(stores, org, params.action_number, { after, limit });
    const deliveries = page.deliveries.map((found) => {
      if (!('unreadable' in found)) return deliveryOut(found, request.role, host);
      logUnreadable('actions', request, `delivery ${found.id}`, found.unreadable);
      return unreadableDelivery(found);
    });
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: { deliveries, next_cursor: page.next },
    };
  },
});
