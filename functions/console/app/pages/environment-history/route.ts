import { environmentHistory } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { pageNumber, time } from '../../model/search-params.ts';
import { readHead } from '../environment/reads.ts';
import { route } from '../route.ts';

/** Rows of a page. An auditor reads and saves all of them, so a page is as large as the API allows. */
export const RUNS_PER_PAGE = 1000;

interface Asked {
  from?: number | undefined;
  to?: number | undefined;
  page?: number | undefined;
}

/** Without a period, the API takes the last 28 days. */
export const readHistory = ({ org, env }: { org: string; env: string }, { from, to, page = 1 }: Asked) => ({
  ...read(
    environmentHistory,
    { org, env_name: env },
    {
      page,
      per_page: RUNS_PER_PAGE,
      ...(from !== undefined && { start_ts: from }),
      ...(to !== undefined && { end_ts: to }),
    },
  ),
  staleTime: 60_000,
});

export const environmentHistoryRoute = route({
  name: 'environment-history',
  search: { from: time, to: time, page: pageNumber },
  reads: (params, asked) => [readHead(params), readHistory(params, asked)],
});
