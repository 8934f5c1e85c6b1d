import { read } from '../client/query-client.ts';
import { readGapsAbout } from '../expectation/routes.ts';
import { route } from '../routes/route.ts';
import {
  instant,
  oneOf,
  orderOf,
  orderQuery,
  pageNumber,
  type SearchOf,
  type SearchParam,
  text,
} from '../routes/search-params.ts';
import { readChanges } from './changes/reads.ts';
import { periodOf } from './model/history.ts';
import { ROW_STATES } from './model/snapshot-rows.ts';
import { viewOf } from './model/view.ts';
import {
  allowList,
  componentDifferences,
  type Environment,
  environmentHistory,
  environments,
  everReported,
  isLogical,
  snapshotDiff,
} from './operations.ts';
import { readEvents, readFrequency, readHead, readPresence, readRows, readSnapshot, readSummaries } from './reads.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

/** Words for the types of environments, as answers write them. */
export const TYPES = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run', 'logical'] as const;

/** Orders of the list beside the usual one, which has what is wrong first. Times begin with the newest. */
export const SORTS = ['name', 'last_changed_at', 'last_modified_at'] as const;

const environmentsSearch = {
  q: text,
  tag: text,
  type: oneOf(...TYPES),
  sort: orderOf('state', ...SORTS),
  page: pageNumber,
};

/** Without a choice, what needs attention comes first. Times are sorted with the newest first. */
export const readEnvironments = (
  org: string,
  { q, tag, type, sort = 'state', page }: SearchOf<typeof environmentsSearch>,
) =>
  read(
    environments,
    { org },
    {
      include: ['states', 'silence'],
      per_page: 50,
      page: page ?? 1,
      ...orderQuery<'state' | (typeof SORTS)[number]>(sort, ['last_changed_at', 'last_modified_at']),
      ...(q !== undefined && { name: q }),
      ...(tag !== undefined && { tag: [tag] }),
      ...(type !== undefined && { type: [type] }),
    },
  );

export const environmentsRoute = route({
  name: 'environments',
  search: environmentsSearch,
  reads: ({ org }, given) => [readEnvironments(org, given)],
});

const environmentSearch = {
  tab: oneOf('running', 'frequency', 'events', 'gaps'),
  from: instant,
  to: instant,
  page: pageNumber,
  days: oneOf('7', '30', '365'),
  state: oneOf(...ROW_STATES),
  q: text,
};

type EnvironmentSearch = SearchOf<typeof environmentSearch>;

function readsOfView(params: { org: string; env: string }, search: EnvironmentSearch) {
  const view = viewOf(search);
  if (view === 'events') return [readEvents(params, search.page)];
  if (view === 'changes') return [readChanges(params, search)];
  if (view === 'gaps') return [readGapsAbout(params.org, params.env)];
  // Whether the environment is logical, and so has no lead times, is known only after the first answer.
  return view === 'frequency' ? [readSummaries(params)] : [readSummaries(params), readFrequency(params)];
}

export const environmentRoute = route({
  name: 'environment',
  search: environmentSearch,
  reads: (params, search) => [readHead(params), ...readsOfView(params, search)],
  // A logical environment takes no reports, and the API refuses the question when they came.
  readsAfter: (environment: Environment, params, search) => [
    ...(viewOf(search) !== 'events' && everReported(environment) ? [readRows(params)] : []),
    ...(viewOf(search) === 'gaps' && !isLogical(environment) ? [readPresence(params, search.page)] : []),
  ],
});

export const snapshotRoute = route({
  name: 'snapshot',
  search: { tab: oneOf('policies', 'changes'), state: oneOf(...ROW_STATES), q: text },
  reads: (params, { tab }) => [
    readRows(params, params.expression),
    ...(tab === 'policies' ? [readSnapshot(params, params.expression)] : []),
  ],
});

/** Rows of a page. An auditor reads and saves all of them, so a page is as large as the API allows. */
export const RUNS_PER_PAGE = 100;

/** What is shown of each run beside its times and verdicts. */
export const INCLUDED: ('evidence' | 'allowed')[] = ['evidence', 'allowed'];

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  page?: number | undefined;
}

export function readHistory({ org, env }: { org: string; env: string }, { page = 1, ...days }: Asked) {
  const { from, to } = periodOf(days, Date.now() / 1000);
  const options = read(
    environmentHistory,
    { org, env_name: env },
    {
      page,
      per_page: RUNS_PER_PAGE,
      include: INCLUDED,
      start_ts: from,
      end_ts: to,
    },
  );
  return { ...options, staleTime: 60_000 };
}

export const environmentHistoryRoute = route({
  name: 'environment-history',
  search: { from: instant, to: instant, page: pageNumber },
  reads: (params) => [readHead(params)],
  readsAfter: (environment: Environment, params, asked) => (isLogical(environment) ? [] : [readHistory(params, asked)]),
});

export const environmentPoliciesRoute = route({
  name: 'environment-policies',
  search: {},
  reads: (params) => [readHead(params)],
  readsAfter: (environment: Environment, params) => (everReported(environment) ? [readSnapshot(params)] : []),
});

const ENTRIES_PER_PAGE = 50;

export const readAllowList = ({ org, env }: { org: string; env: string }, cursor: string | undefined) =>
  read(allowList, { org, env_name: env }, { per_page: ENTRIES_PER_PAGE, ...(cursor !== undefined && { cursor }) });

export const environmentAllowedRoute = route({
  name: 'environment-allowed',
  search: { cursor: text },
  reads: (params, { cursor }) => [readHead(params), readAllowList(params, cursor)],
  readsAfter: (environment: Environment, params) => (everReported(environment) ? [readRows(params)] : []),
});

export const environmentSettingsRoute = route({
  name: 'environment-settings',
  search: {},
  reads: (params) => [readHead(params)],
});

export const readDiff = (org: string, a: string, b: string) =>
  read(snapshotDiff, { org }, { snappish1: a, snappish2: b });

/** Names for the form. */
export const readNames = (org: string) => ({ ...read(environments, { org }), staleTime: 60_000 });

/** A page of what differs between the components of two artifacts. */
export const readComponentDifferences = (org: string, from: string, to: string, cursor: string | null) => ({
  ...read(componentDifferences, { org }, { from, to, ...(cursor !== null && { cursor }) }),
  staleTime: 60_000,
});

const fingerprint: SearchParam<string> = (given) => (/^[0-9a-f]{64}$/.test(given) ? given : undefined);

export const compareRoute = route({
  name: 'compare',
  search: { a: text, b: text, from: fingerprint, to: fingerprint },
  reads: ({ org }, { a, b, from, to }) => {
    if (a === undefined || b === undefined) return [readNames(org)];
    const parts = from === undefined || to === undefined ? [] : [readComponentDifferences(org, from, to, null)];
    return [readDiff(org, a, b), readNames(org), ...parts];
  },
});
