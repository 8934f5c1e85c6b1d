import * as z from 'zod';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import {
  checkPeriod,
  cursorFields,
  integerField,
  numberField,
  periodOf,
  placeBefore,
} from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { listAllDeliveries as list, readDeliveryCursor } from '#shared/notifications/list-deliveries.ts';
import { DELIVERY_STATES, Trigger } from '#shared/notifications/rules/records.ts';
import { DeliverySummary, deliverySummary, unreadableSummary } from './delivery-output.ts';

/** GET /deliveries/{org}: deliveries of all actions, newest event first (`rules/notifications.md#delivery-log`). */
export const listAllDeliveries = endpoint({
  operation: 'listAllDeliveries',
  method: 'GET',
  path: '/deliveries/{org}',
  summary: 'List the deliveries of all actions, each with its last attempt',
  description:
    'Newest event first. Send `next_cursor` as `cursor`, with the same filters, to get the next page; it is null on the last page. A page can be short or empty and still have a next page, because each page reads a limited number of deliveries. Names are those that the event had when it happened.',
  access: 'reader',
  query: z.object({
    action: integerField({ min: 1 }).optional().meta({ description: 'Only deliveries of the action with this number' }),
    state: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state' }),
    trigger: Trigger.optional().meta({ description: 'Only events of this trigger' }),
    flow: AnyFlowName.optional().meta({ description: 'Only events of the flow with this name' }),
    trail: AnyTrailName.optional().meta({ description: 'Only events of trails with this name' }),
    environment: AnyEnvironmentName.optional().meta({ description: 'Only events of the environment with this name' }),
    start_ts: numberField().optional().meta({ description: 'Time of the event in seconds since the epoch, included' }),
    end_ts: numberField().optional().meta({ description: 'Time of the event in seconds since the epoch, included' }),
    ...cursorFields('Deliveries'),
  }),
  success: {
    200: z
      .object({
        deliveries: z.array(DeliverySummary).describe('The deliveries of the page, newest first'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'DeliverySummariesPage' }),
  },
  checks: [({ query }) => checkPeriod(query)],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { query, org, role } = request;
    const { start_ts, end_ts, cursor, per_page: limit, ...filters } = query;
    const filter = { ...filters, ...periodOf({ start_ts, end_ts }) };
    const after = placeBefore(cursor, (given) => readDeliveryCursor(org.id, filter, given));
    const { names, ...page } = await list(stores, org, filter, { after, limit });
    const deliveries = page.deliveries.map((found) => {
      if (!('unreadable' in found)) return deliverySummary(found, names.get(found.delivery.action) ?? '', role);
      logUnreadable('actions', request, `delivery ${found.id}`, found.unreadable);
      return unreadableSummary(found);
    });
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: { deliveries, next_cursor: page.next },
    };
  },
});
