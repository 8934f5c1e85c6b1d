import { read } from '../client/query-client.ts';
import { readGapsAbout } from '../expectation/routes.ts';
import { deployments, flowArtifacts } from '../release/operations.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import {
  day,
  daysPeriod,
  firstOfLastDays,
  oneOf,
  orderOf,
  orderQuery,
  pageNumber,
  type SearchOf,
  text,
} from '../routes/search-params.ts';
import { flowTrails } from '../trail/operations.ts';
import { flow, flowFrequency, flows } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const sort = orderOf('name', 'latest_activity');
const flowsSearch = { q: text, sort, page: pageNumber };

/** Without a choice, the flows with the latest reports come first. */
export const readFlows = (org: string, { q, sort: by = 'latest_activity', page }: SearchOf<typeof flowsSearch>) =>
  read(
    flows,
    { org },
    {
      page: page ?? 1,
      per_page: 50,
      ...(q !== undefined && { search_by_name: q, case_sensitive: false }),
      ...orderQuery<'name' | 'latest_activity'>(by, ['latest_activity']),
    },
  );

export const flowsRoute = route({
  name: 'flows',
  search: flowsSearch,
  reads: ({ org }, given) => [readFlows(org, given)],
});

const tab = oneOf('template', 'frequency', 'gaps');
const columns = oneOf('all');
const state = oneOf('compliant', 'incomplete', 'non-compliant');
const flowSearch = {
  tab,
  columns,
  state,
  q: text,
  from: day,
  to: day,
  page: pageNumber,
  cursor: text,
  sort: oneOf('oldest'),
  days: oneOf('90', '365'),
};

/** Each trail is read with everything that decides its verdict. */
const TRAILS_PER_PAGE = 25;
/** The newest reports of artifacts: where they run is shown beside their trails. */
const ARTIFACTS = 50;

const WORDS = { compliant: 'COMPLIANT', incomplete: 'INCOMPLETE', 'non-compliant': 'NON-COMPLIANT' } as const;

/** Lists by name or state have cursors, others have page numbers. */
const isScanned = ({ q, state: wanted }: SearchOf<typeof flowSearch>): boolean =>
  q !== undefined || wanted !== undefined;

export const readTrails = (params: ParamsOf<'flow'>, given: SearchOf<typeof flowSearch>) =>
  read(flowTrails, params, {
    include: ['slots'],
    per_page: TRAILS_PER_PAGE,
    ...daysPeriod(given),
    ...(given.sort === 'oldest' && { sort_direction: 'asc' as const }),
    ...(given.q !== undefined && { name: given.q }),
    ...(given.state !== undefined && { compliance_state: [WORDS[given.state]] }),
    ...(isScanned(given) ? { cursor: given.cursor } : { page: given.page ?? 1 }),
  });

export const readArtifacts = (params: ParamsOf<'flow'>) => read(flowArtifacts, params, { per_page: ARTIFACTS });

/** The last days with the present one. The address of the read stays the same for a whole day. */
export const readFrequency = (params: ParamsOf<'flow'>, days: number) => ({
  ...read(flowFrequency, params, { start_ts: firstOfLastDays(days), include: ['times'] }),
  staleTime: 60_000,
});

/** How long deployments of the flow took from their commit. The totals cover all deployments, so one row is enough. */
export const readLeadTimes = ({ org, flow: flow_name }: ParamsOf<'flow'>, env_name: string, start_ts: number) =>
  read(deployments, { org, env_name }, { flow_name, start_ts, per_page: 1, include: ['classes'] });

/** Days of the strip above the trails, and of the tab unless the address says otherwise. */
export const STRIP_DAYS = 30;

export const flowRoute = route({
  name: 'flow',
  search: flowSearch,
  reads: (params, given) =>
    given.tab === 'template'
      ? [read(flow, params)]
      : given.tab === 'gaps'
        ? [read(flow, params), readGapsAbout(params.org, params.flow)]
        : given.tab === 'frequency'
          ? [read(flow, params), readFrequency(params, Number(given.days ?? STRIP_DAYS))]
          : [read(flow, params), readTrails(params, given), readArtifacts(params), readFrequency(params, STRIP_DAYS)],
});
