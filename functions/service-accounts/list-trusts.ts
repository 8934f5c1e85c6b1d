import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, placeBefore } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { readAccounts } from '#shared/organizations/records/service-accounts.ts';
import { readTrustItems, TrustName, TrustRecord } from '#shared/organizations/records/trusts.ts';
import { cursorIn, readNameCursorIn } from '#shared/table/cursors.ts';
import { TrustOut, trustOut, unreadableTrust } from './trust-forms.ts';

/** GET /trusts/{org}: the trusts of an organization, by name (rules/identities.md#trusts). */
export const listTrusts = endpoint({
  operation: 'listTrusts',
  method: 'GET',
  path: '/trusts/{org}',
  summary: 'List the trusts of an organization',
  description: 'By name. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'admin',
  params: z.object({ org: z.string() }),
  query: z.object(cursorFields('Trusts')),
  body: { kind: 'none' },
  success: {
    200: z
      .object({
        trusts: z.array(TrustOut).meta({ description: 'The trusts of the page, by name' }),
        next_cursor: z.string().nullable(),
      })
      .meta({ id: 'TrustsPage' }),
  },
  errors: [],
  handler: async (request, { table }) => {
    const { org, query } = request;
    const list = [org.id, 'trusts'];
    const after = placeBefore(query.cursor, (given) => readNameCursorIn(list, given, TrustName));
    const items = await readTrustItems(table, org.id, { after, limit: query.per_page + 1 });
    const page = items.slice(0, query.per_page).map((item) => ({ name: item.sk, ...TrustRecord.safeParse(item) }));
    const accounts = await readAccounts(
      table,
      org.id,
      page.flatMap(({ data }) => (data ? [data.account.name] : [])),
    );
    const trusts = page.map(({ name, data, error }) => {
      if (data) return trustOut(data, accounts.get(data.account.name));
      noteUnreadable('service-accounts', request, `trust ${name}`, error);
      return unreadableTrust(name);
    });
    const last = items.length > query.per_page ? page.at(-1)?.name : undefined;
    const next = last === undefined ? null : cursorIn(list, last);
    return { status: 200, headers: cursorHeaders(request, next), body: { trusts, next_cursor: next } };
  },
});
