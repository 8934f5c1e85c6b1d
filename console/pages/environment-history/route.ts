import { type Environment, environmentHistory, isLogical } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { periodOf } from '../../model/history.ts';
import { pageNumber, type SearchParam, time } from '../../model/search-params.ts';
import { readHead } from '../environment/reads.ts';
import { route } from '../route.ts';

/** Rows of a page. An auditor reads and saves all of them, so a page is as large as the API allows. */
export const RUNS_PER_PAGE = 100;

/** The text of an instant, as the address has it: `2026-07-01` can be read and cited, seconds cannot. */
const instant: SearchParam<string> = (given) => (time(given) === undefined ? undefined : given);

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
