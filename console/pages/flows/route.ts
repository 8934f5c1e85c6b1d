import { flows } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const sort = oneOf('name');
const search = { q: text, sort, page: pageNumber };

/** Without a choice, the flows with the latest reports come first. */
export const readFlows = (org: string, { q, sort: by, page }: SearchOf<typeof search>) =>
  read(
    flows,
    { org },
    {
      page: page ?? 1,
      per_page: 50,
      ...(q !== undefined && { search_by_name: q, case_sensitive: false }),
      ...(by === undefined ? { sort: 'latest_activity', sort_direction: 'desc' } : { sort: by }),
    },
  );

export const flowsRoute = route({
  name: 'flows',
  search,
  reads: ({ org }, given) => [readFlows(org, given)],
});
