import { allowList, type Environment, everReported } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { text } from '../../model/search-params.ts';
import { readHead, readRows } from '../environment/reads.ts';
import { route } from '../route.ts';

const ENTRIES_PER_PAGE = 50;

export const readAllowList = ({ org, env }: { org: string; env: string }, cursor: string | undefined) =>
  read(allowList, { org, env_name: env }, { per_page: ENTRIES_PER_PAGE, ...(cursor !== undefined && { cursor }) });

export const environmentAllowedRoute = route({
  name: 'environment-allowed',
  search: { cursor: text },
  reads: (params, { cursor }) => [readHead(params), readAllowList(params, cursor)],
  readsAfter: (environment: Environment, params) => (everReported(environment) ? [readRows(params)] : []),
});
