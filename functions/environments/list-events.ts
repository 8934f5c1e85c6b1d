import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { BOUND_PATTERN, resolveEventRange } from '#shared/environments/rules/event-range.ts';
import { INTERVAL_PATTERN, NO_HISTORY } from '#shared/environments/rules/expressions.ts';
import { resolveInterval } from '#shared/environments/rules/interval.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { LAST_REPO_EVENT, listEvents as list } from '#shared/environments/snapshots/list-events.ts';
import { unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageHeaders, uncountedPageHeaders } from '#shared/http/paging.ts';
import { booleanField, numberField, pageFields } from '#shared/http/query-fields.ts';
import { EventOut, eventOut } from './event-output.ts';

/** The most repositories whose events one request merges (rules/lists.md#merged-lists). */
const MOST_REPOS = 20;
const Query = z.object({
  ...pageFields({ perPage: 15 }),
  interval: z.string().meta({ pattern: INTERVAL_PATTERN }).optional(),
  reverse: booleanField()
    .default(false)
    .meta({ description: 'Oldest first', override: { default: false } }),
  repo_name: z.array(z.string()).max(MOST_REPOS).optional(),
  start: z
    .string()
    .optional()
    .meta({ description: 'Number of a snapshot, Unix timestamp, span back, or NOW', pattern: BOUND_PATTERN }),
  end: z.string().optional().meta({ description: 'As `start`; both ends are included', pattern: BOUND_PATTERN }),
  start_ts: numberField().optional().meta({ description: 'Seconds since the epoch' }),
  end_ts: numberField().optional().meta({ description: 'Seconds since the epoch' }),
  from: numberField().optional().meta({ description: 'Another name of `start_ts`' }),
  to: numberField().optional().meta({ description: 'Another name of `end_ts`' }),
});
type Query = z.output<typeof Query>;

/** GET /environments/{org}/{env_name}/events: lists events, newest first (rules/environments.md#event-list). */
export const listEvents = endpoint({
  operation: 'listEnvironmentEvents',
  method: 'GET',
  path: '/environments/{org}/{env_name}/events',
  summary: 'List the events of an environment',
  description:
    'Only events within all given bounds are listed. Headers describe the page. With a filter by repository the totals are left out unless all events of the repositories were read.',
  access: 'reader',
  query: Query,
  success: { 200: z.array(EventOut) },
  errors: [unknownEnvironment, archivedEnvironment, unknownRepo],
  uses: READ_BODIES,
  // Malformed bounds are refused before anything is read (rules/snapshot-expressions.md#where-expressions-stand).
  checks: [
    ({ query }, { clock }) => resolveInterval(query.interval, clock.now(), NO_HISTORY),
    ({ query: { start } }, { clock }) => resolveEventRange({ start }, clock.now(), NO_HISTORY),
    ({ query: { end } }, { clock }) => resolveEventRange({ end }, clock.now(), NO_HISTORY),
    ({ query }) => refuseTooDeep(query),
  ],
  handler: async (request, stores: Stores) => {
    const { params, query, org, host } = request;
    const { start_ts, end_ts, from, to, page, per_page: perPage } = query;
    const selection = {
      repos: [...new Set(query.repo_name)],
      interval: query.interval,
      bounds: { start: query.start, end: query.end, startTs: start_ts ?? from, endTs: end_ts ?? to },
      page,
      perPage,
      reverse: query.reverse,
    };
    const { environment, events, total, hasNext } = await list(stores, org, params.env_name, selection);
    return {
      status: 200,
      headers:
        total === null
          ? uncountedPageHeaders(request, { page, perPage, hasNext })
          : pageHeaders(request, { page, perPage, total }),
      body: events.map((event) => eventOut(event, { host, org }, environment)),
    };
  },
});

function refuseTooDeep({ page = 1, per_page: perPage = 1, repo_name: repos }: Partial<Query>): void {
  if (!repos || page * perPage <= LAST_REPO_EVENT) return;
  const text = `Events of repositories are shown up to the ${LAST_REPO_EVENT}th. Narrow them with start and end`;
  throw invalidField('query.page', text, page);
}
