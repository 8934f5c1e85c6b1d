import { builds } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { repos } from '../../client/repos.ts';
import { day, daysPeriod, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const search = { repo: text, from: day, to: day, page: pageNumber };

export const readBuilds = (org: string, { repo, from, to, page }: SearchOf<typeof search>) =>
  read(
    builds,
    { org },
    { page: page ?? 1, per_page: 50, ...daysPeriod({ from, to }), ...(repo !== undefined && { repo_name: repo }) },
  );

/** Names for the filter. */
export const readRepoNames = (org: string) => read(repos, { org }, { per_page: 50 });

export const buildsRoute = route({
  name: 'builds',
  search,
  reads: ({ org }, given) => [readBuilds(org, given), readRepoNames(org)],
});
