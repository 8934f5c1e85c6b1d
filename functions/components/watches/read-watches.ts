import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { getWatch as get, listWatches as list, readWatchCursor } from '#shared/watches/read-watches.ts';
import { unknownWatch } from '#shared/watches/rules/sentences.ts';
import { unreadableWatch, WatchOut, watchOut } from './watch-forms.ts';

/** GET /watches/{org}: a page of watches, by name (rules/watches.md#list). */
export const listWatches = endpoint({
  operation: 'listWatches',
  method: 'GET',
  path: '/watches/{org}',
  summary: 'List the watches of an organization',
  description: 'By name. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object(cursorFields('Watches')),
  success: {
    200: z
      .object({
        watches: z.array(WatchOut).meta({ description: 'The watches of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'WatchesPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, query } = request;
    const after = placeBefore(query.cursor, (given) => readWatchCursor(org.id, given));
    const page = await list(stores, org.id, { after, limit: query.per_page });
    const watches = page.watches.map((one) => {
      if (!('unreadable' in one)) return watchOut(one);
      logUnreadable('components', request, `watch ${one.name}`, one.unreadable);
      return unreadableWatch(one);
    });
    return { status: 200, headers: cursorHeaders(request, page.next), body: { watches, next_cursor: page.next } };
  },
});

/** GET /watches/{org}/{name}: one watch (rules/watches.md#watch). */
export const getWatch = endpoint({
  operation: 'getWatch',
  method: 'GET',
  path: '/watches/{org}/{name}',
  summary: 'Get a watch',
  access: 'reader',
  success: { 200: WatchOut },
  errors: [unknownWatch],
  handler: async (request, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: watchOut(await get(stores, request.org, request.params.name)),
  }),
});
