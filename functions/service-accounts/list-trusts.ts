import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { listTrusts as list, readTrustCursor } from '#shared/organizations/trusts/read-trusts.ts';
import { TrustOut, trustOut, unreadableTrust } from './trust-forms.ts';

/** GET /trusts/{org}: the trusts of an organization, by name (rules/identities.md#trusts). */
export const listTrusts = endpoint({
  operation: 'listTrusts',
  method: 'GET',
  path: '/trusts/{org}',
  summary: 'List the trusts of an organization',
  description: 'By name. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'admin',
  query: z.object(cursorFields('Trusts')),
  success: {
    200: z
      .object({
        trusts: z.array(TrustOut).meta({ description: 'The trusts of the page, by name' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'TrustsPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, query } = request;
    const after = placeBefore(query.cursor, (given) => readTrustCursor(org.id, given));
    const page = await list(stores, org.id, { after, limit: query.per_page });
    const trusts = page.trusts.map((one) => {
      if (!('unreadable' in one)) return trustOut(one);
      logUnreadable('service-accounts', request, `trust ${one.name}`, one.unreadable);
      return unreadableTrust(one.name);
    });
    return { status: 200, headers: cursorHeaders(request, page.next), body: { trusts, next_cursor: page.next } };
  },
});
