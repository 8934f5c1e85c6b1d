import * as z from 'zod';
import type { Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { requirePresent } from '#shared/environments/present-environment.ts';
import {
  type EnvironmentEvent,
  eventNumbers,
  readEvents,
  readRepoEvents,
} from '#shared/environments/records/environment-events.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { historyOf } from '#shared/environments/records/snapshot-parts.ts';
import { BOUND_PATTERN, intersection, resolveEventRange } from '#shared/environments/rules/event-range.ts';
import { type History, INTERVAL_PATTERN, NO_HISTORY } from '#shared/environments/rules/expressions.ts';
import { type IndexRange, pageOfRange, rangeSize, resolveInterval } from '#shared/environments/rules/interval.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { readProvenance } from '#shared/evidence/provenance.ts';
import { findReposByName } from '#shared/evidence/records/repos.ts';
import { unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageHeaders, uncountedPageHeaders } from '#shared/http/paging.ts';
import { booleanField, numberField, pageFields } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { EventOut, eventOut } from './event-output.ts';

/** The most repositories whose events one request merges (rules/lists.md#merged-lists). */
const MOST_REPOS = 20;
/**
 * The last event that a page of repositories may reach (rules/lists.md#events-of-an-environment). Events of repositories
 * are read from the beginning of the list up to the page.
 */
const LAST_REPO_EVENT = 10_000;

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
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: Query,
  body: { kind: 'none' },
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
  handler: async (request, services) => {
    const { params, query, org, host } = request;
    const { table, clock } = services;
    const now = clock.now();
    const asked = [...new Set(query.repo_name)];
    const [found, repos] = await Promise.all([
      findEnvironment(table, org.id, params.env_name),
      findReposByName(table, org.id, asked),
    ]);
    const head = requirePresent(found, org, params.env_name);
    const ids = asked.map((name) => {
      const id = repos.get(name);
      if (id === undefined) throw unknownRepo({ repo: name });
      return id;
    });
    const snapshots = await resolveSnapshots(query, now, historyOf(table, org.id, head));
    const numbers = await eventNumbers(table, org.id, head, snapshots);
    const { events, total, hasNext } =
      ids.length === 0
        ? await pageByNumber(services, org, head, numbers, query)
        : await pageOfRepos(services, org, head, ids, numbers, query);
    const reports = events.flatMap(({ report, previous }) => (report && previous ? [report, previous] : []));
    const provenance = await readProvenance(services, org.id, reports);
    const reader = { host, org: org.name, environment: head.name, provenance };
    const shown = { page: query.page, perPage: query.per_page };
    return {
      status: 200,
      headers:
        total === null
          ? uncountedPageHeaders(request, { ...shown, hasNext })
          : pageHeaders(request, { ...shown, total }),
      body: events.map((event) => eventOut(event, reader)),
    };
  },
});

/** The snapshots within every bound that is given (rules/snapshot-expressions.md#event-ranges). */
async function resolveSnapshots(query: Query, now: Micros, history: History): Promise<IndexRange> {
  const { start, end, start_ts, end_ts, from, to } = query;
  const [interval, bounds] = await Promise.all([
    resolveInterval(query.interval, now, history),
    resolveEventRange({ start, end, startTs: start_ts ?? from, endTs: end_ts ?? to }, now, history),
  ]);
  return intersection(interval, bounds);
}

function refuseTooDeep({ page = 1, per_page: perPage = 1, repo_name: repos }: Partial<Query>): void {
  if (!repos || page * perPage <= LAST_REPO_EVENT) return;
  const text = `Events of repositories are shown up to the ${LAST_REPO_EVENT}th. Narrow them with start and end`;
  throw invalidField('query.page', text, page);
}

interface Found {
  events: EnvironmentEvent[];
  /** Null if not all events were read, so that the total is unknown. */
  total: number | null;
  /** Whether a later page that may be asked for has events. */
  hasNext: boolean;
}

/** Reads a page by event numbers. Every page costs the same (rules/lists.md#events-of-an-environment). */
async function pageByNumber(
  { table }: Services,
  org: Organization,
  { id }: EnvironmentHead,
  numbers: IndexRange,
  { page, per_page: perPage, reverse }: Query,
): Promise<Found> {
  const events = await readEvents(table, org.id, id, pageOfRange(numbers, { page, perPage, reverse }));
  const total = rangeSize(numbers);
  return { events: reverse ? events : events.reverse(), total, hasNext: page * perPage < total };
}

/** Reads a page of the events of repositories. Their lists have no numbers of their own, so they are merged from the start. */
async function pageOfRepos(
  { table }: Services,
  org: Organization,
  { id }: EnvironmentHead,
  repos: readonly Id[],
  numbers: IndexRange,
  { page, per_page: perPage, reverse }: Query,
): Promise<Found> {
  const limit = page * perPage;
  const lists = await Promise.all(
    // One event more than the page needs says whether there is a next page.
    repos.map((repo) =>
      readRepoEvents(table, org.id, id, repo, { ...numbers, newestFirst: !reverse, limit: limit + 1 }),
    ),
  );
  // An artifact of several flows may come from several of the repositories, so an event may stand in several lists.
  const merged = [...new Map(lists.flat().map((event) => [event.number, event])).values()].sort(
    (a, b) => (a.number - b.number) * (reverse ? 1 : -1),
  );
  const isWhole = lists.every((list) => list.length <= limit);
  return {
    events: merged.slice(limit - perPage, limit),
    total: isWhole ? merged.length : null,
    hasNext: merged.length > limit && limit + perPage <= LAST_REPO_EVENT,
  };
}
