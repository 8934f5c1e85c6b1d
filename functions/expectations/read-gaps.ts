import * as z from 'zod';
import { fromSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type GapFilter, getGap as get, listGaps as list, readGapCursor } from '#shared/expectations/gaps/list-gaps.ts';
import { KINDS } from '#shared/expectations/rules/expectation.ts';
import { GAP_STATES } from '#shared/expectations/rules/gaps/gap.ts';
import { unknownGap } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, numberField, placeBefore } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { GapOut, gapOut, STATES, unreadableGap } from './gap-forms.ts';

const PERIOD = { min: 0, max: 4_102_444_800 };

const Filter = z.object({
  expectation: z.string().optional().describe('Only gaps of this expectation'),
  subject: z.string().optional().describe('Only gaps of this environment, or of this flow and its trails'),
  kind: z.enum(KINDS).optional().describe('Only gaps of this kind of expectations'),
  state: z.enum(GAP_STATES).optional().describe(`Only gaps in this state. ${STATES}`),
  from: numberField(PERIOD)
    .optional()
    .describe('Only gaps that began at this time or later, in seconds since the epoch'),
  until: numberField(PERIOD).optional().describe('Only gaps that began until this time, in seconds since the epoch'),
});

/** GET /gaps/{org}: a page of gaps, the newest first (rules/expectations.md#list-of-gaps). */
export const listGaps = endpoint({
  operation: 'listGaps',
  method: 'GET',
  path: '/gaps/{org}',
  summary: 'List gaps: what did not come, and when',
  description:
    'The newest `from` first. A page can have fewer gaps than asked for and a `next_cursor` nevertheless, if the filter selects few. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object({ ...Filter.shape, ...cursorFields('Gaps') }),
  success: {
    200: z
      .object({
        gaps: z.array(GapOut).meta({ description: 'The gaps of the page, the newest first' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'GapsPage' }),
  },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, query } = request;
    const filter = filterOf(query);
    const after = placeBefore(query.cursor, (given) => readGapCursor(org.id, filter, given));
    const page = await list(stores, org.id, filter, { after, limit: query.per_page });
    const gaps = page.gaps.map((one) => {
      if (!('unreadable' in one)) return gapOut(one, request);
      logUnreadable('gaps', request, `gap ${one.id}`, one.unreadable);
      return unreadableGap(one);
    });
    return { status: 200, headers: cursorHeaders(request, page.next), body: { gaps, next_cursor: page.next } };
  },
});

const filterOf = ({ expectation, subject, kind, state, from, until }: z.output<typeof Filter>): GapFilter => ({
  expectation,
  subject,
  kind,
  state,
  from: from === undefined ? undefined : fromSeconds(from),
  until: until === undefined ? undefined : fromSeconds(until),
});

/** GET /gaps/{org}/{gap_id}: one gap (rules/expectations.md#gap). */
export const getGap = endpoint({
  operation: 'getGap',
  method: 'GET',
  path: '/gaps/{org}/{gap_id}',
  summary: 'Get a gap',
  access: 'reader',
  success: { 200: GapOut },
  errors: [unknownGap],
  handler: async (request, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: gapOut(await get(stores, request.org, request.params.gap_id), request),
  }),
});
