import * as z from 'zod';
import { type Duration, firstMicrosFrom, lastMicrosTo, type Micros, minus, toSeconds } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { listBuilds as list } from '#shared/evidence/builds/list-builds.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { numberField, pageFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import type { Window } from '#shared/series/series.ts';
import { BuildOut, buildOut } from './build-output.ts';

/** 28 days (rules/lookups.md#build-window). */
const DEFAULT_WINDOW: Duration = 28 * 86_400 * 1_000_000;

const Query = z.object({
  ...pageFields({ perPage: 20, min: 0, max: 50 }),
  repo_id: z.string().optional().meta({ description: 'Id of the repository at its provider' }),
  external_repo_id: z.string().optional().meta({ description: 'The same as `repo_id`' }),
  repo_name: z.string().optional(),
  repo_inner_id: z.string().optional().meta({ description: 'Internal id of the repository; it never changes' }),
  repo_internal_id: z.string().optional().meta({ description: 'The same as `repo_inner_id`' }),
  start_ts: numberField().optional().meta({
    description: 'Seconds since the epoch, inclusive; the default is 28 days before `end_ts`',
  }),
  end_ts: numberField().optional().meta({
    description: 'Seconds since the epoch, inclusive; the default is now',
  }),
});
type Query = z.output<typeof Query>;

/** GET /builds/{org}: builds of the organization, newest first (rules/lookups.md#builds). */
export const listBuilds = endpoint({
  operation: 'listBuilds',
  method: 'GET',
  path: '/builds/{org}',
  summary: 'List builds',
  description:
    'A build is the first report of a fingerprint in the organization. A build must match all filters. `has_builds_ever` follows the filters but not the window. `per_page=0` only counts.',
  access: 'reader',
  row: 12,
  query: Query,
  success: {
    200: flatPageSchema('builds', BuildOut, 'The builds of the page, newest first')
      .extend({
        has_builds_ever: z.boolean().describe('Whether the organization has any build, also outside the query'),
      })
      .meta({ id: 'BuildsPage' }),
  },
  uses: READ_BODIES,
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || windowOf(query, clock.now())],
  handler: async (request, stores: Stores) => {
    const { query, org } = request;
    const { page, per_page: perPage } = query;
    const window = windowOf(query, stores.clock.now());
    const filters = {
      externalId: query.repo_id ?? query.external_repo_id,
      name: query.repo_name,
      innerId: query.repo_inner_id ?? query.repo_internal_id,
    };
    const { total, whole, builds } = await list(stores, org, filters, { page, perPage }, window);
    const items = builds.map((build) => {
      if ('unreadable' in build.facts) {
        logUnreadable('builds', request, `artifact ${build.record.id}`, build.facts.unreadable);
      }
      return buildOut(build, request);
    });
    const shown = { page, perPage, total, items };
    return pageAnswer(request, shown, { ...flatPage('builds', request, shown), has_builds_ever: whole > 0 });
  },
});

/**
 * Returns the window in microseconds. A build is in the window exactly if its `created_at`, as answers show it, is not
 * less than `start_ts` and not greater than `end_ts`.
 * @throws ServiceError 400 if the window ends before it begins
 */
function windowOf({ start_ts: start, end_ts }: Partial<Query>, now: Micros): Window {
  const end = end_ts ?? toSeconds(now);
  if (start !== undefined && start > end) {
    throw invalidField('query.start_ts', 'Input should be less than or equal to end_ts', start);
  }
  const to = lastMicrosTo(end);
  return { from: start === undefined ? minus(to, DEFAULT_WINDOW) : firstMicrosFrom(start), to };
}
