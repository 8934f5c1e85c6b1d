import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { checkPeriod, cursorFields, numberField, periodOf, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { listAuditEntries, readAuditCursor } from '#shared/organizations/list-audit-entries.ts';
import { AuditEntryOut, auditEntryOut, unreadableEntry } from './entry-output.ts';

/** GET /audit/{org}: a page of the audit log, newest first (rules/organizations.md#reading-the-audit-log). */
export const listEntries = endpoint({
  operation: 'listAuditEntries',
  method: 'GET',
  path: '/audit/{org}',
  summary: 'List the changes in an organization: who, what, when and with which key',
  description:
    'Newest first. Evidence has its own history and is not in the log. Send `next_cursor` as `cursor`, with the same filters, to get the next page; it is null on the last page. A page can be short or empty and still have a next page, because each page reads a limited number of entries.',
  access: 'admin',
  query: z.object({
    actor: z.string().optional().meta({ description: 'Id or name of the caller who made the change' }),
    kind: z.string().optional().meta({ description: 'A kind or its first word: `member.removed`, `member`' }),
    start_ts: numberField().optional().meta({ description: 'Seconds since the epoch, included' }),
    end_ts: numberField().optional().meta({ description: 'Seconds since the epoch, included' }),
    ...cursorFields('Entries'),
  }),
  success: {
    200: z
      .object({
        entries: z.array(AuditEntryOut).describe('The entries of the page, newest first'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'AuditPage' }),
  },
  checks: [({ query }) => checkPeriod(query)],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { query, org } = request;
    const { actor, kind, start_ts, end_ts, cursor, per_page } = query;
    const filter = { actor, kind, ...periodOf({ start_ts, end_ts }) };
    const after = placeBefore(cursor, (given) => readAuditCursor(org.id, filter, given));
    const page = await listAuditEntries(stores, org.id, filter, { after, limit: per_page });
    const entries = page.entries.map((entry) => {
      if (!('unreadable' in entry)) return auditEntryOut(entry);
      logUnreadable('audit', request, `audit entry ${entry.id}`, entry.unreadable);
      return unreadableEntry(entry);
    });
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: { entries, next_cursor: page.next },
    };
  },
});
