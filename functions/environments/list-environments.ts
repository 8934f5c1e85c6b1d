import * as z from 'zod';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { EnvironmentKindField } from '#shared/environments/rules/environment-kinds.ts';
import { listEnvironments as list } from '#shared/environments/settings/list-environments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer, pageCount } from '#shared/http/paging.ts';
import { integerField, listField } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { EnvironmentOut, environmentOut, statesOut, unreadableEnvironment } from './environment-output.ts';

const DEFAULT_PAGE = { page: 1, per_page: 15 };
/** Each environment with states costs a head and a range of changes. */
const LARGEST_PAGE_WITH_STATES = 50;
const Query = z.object({
  page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1 on' }),
  per_page: integerField({ min: 1, max: 100 }).optional().meta({ description: 'Records on a page; 15 if absent' }),
  name: z.string().optional().meta({ description: 'Only names that contain this text, in upper or lower case' }),
  type: listField(EnvironmentKindField).default([]).meta({ description: 'Only environments of one of these types' }),
  space_id: listField(z.string())
    .default([])
    .meta({ description: 'There are no spaces: any value gives an empty list' }),
  tag: listField(z.string())
    .default([])
    .meta({ description: '`key` or `key:value`; an environment must have all of them' }),
  sort: z
    .enum(['name', 'last_modified_at', 'last_changed_at', 'state'])
    .default('name')
    .meta({ description: '`state`: non-compliant, then unknown, then compliant', override: { default: 'name' } }),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
  include: listField(z.enum(['states', 'silence']))
    .default([])
    .meta({
      description:
        '`states`: the states of the last 30 days, and the verdicts of what runs. `silence`: whose reports stopped. The answer is a page',
    }),
});
const EnvironmentsPage = z
  .object({
    page: z.int().describe('Number of the page, from 1 on'),
    per_page: z.int().describe('Most records on a page'),
    total_pages: z.int().describe('Number of pages'),
    total_count: z.int().describe('Number of records in all pages'),
    environments: z.array(EnvironmentOut).describe('The environments of the page'),
  })
  .meta({ id: 'EnvironmentsPage' });

/** GET /environments/{org}: all environments that are not archived, or a page of them (rules/environments.md#list). */
export const listEnvironments = endpoint({
  operation: 'listEnvironments',
  method: 'GET',
  path: '/environments/{org}',
  summary: 'List the environments of an organization',
  description: 'An array of all of them; with `page`, `per_page` or `include` an object with one page.',
  access: 'reader',
  query: Query,
  success: { 200: z.union([z.array(EnvironmentOut), EnvironmentsPage]) },
  uses: READ_BODIES,
  checks: [
    ({ query: { include = [], per_page: perPage = 0 } }) => {
      if (!include.includes('states') || perPage <= LARGEST_PAGE_WITH_STATES) return;
      const text = `Input should be less than or equal to ${LARGEST_PAGE_WITH_STATES} with states`;
      throw invalidField('query.per_page', text, perPage);
    },
  ],
  handler: async (request, stores: Stores) => {
    const { query, org } = request;
    const { page = DEFAULT_PAGE.page, per_page: perPage = DEFAULT_PAGE.per_page, include } = query;
    const withStates = include.includes('states');
    const isPaged = query.page !== undefined || query.per_page !== undefined || include.length > 0;
    const { total, environments, names } = await list(stores, org, {
      name: query.name,
      kinds: query.type,
      // There are no spaces, so nothing matches a space.
      isEmpty: query.space_id.length > 0,
      tags: query.tag,
      sort: query.sort,
      direction: query.sort_direction,
      withStates,
      withSilence: include.includes('silence'),
      page: isPaged ? { page, perPage } : undefined,
    });
    const body = environments.map((environment) => {
      if (!('unreadable' in environment)) {
        const { states } = environment;
        return { ...environmentOut(request, environment, names), ...(states && { states: statesOut(states) }) };
      }
      logUnreadable('environments', request, `environment ${environment.id}`, environment.unreadable);
      return unreadableEnvironment(request, environment.name, environment.kind);
    });
    if (!isPaged) return { status: 200, body };
    return pageAnswer(
      request,
      { page, perPage, total },
      { page, per_page: perPage, total_pages: pageCount(total, perPage), total_count: total, environments: body },
    );
  },
});
