import { read } from '../../client/query-client.ts';
import { repos } from '../../client/repos.ts';
import { pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const search = { q: text, provider: text, tag: text, page: pageNumber };

export const readRepos = (org: string, { q, provider, tag, page }: SearchOf<typeof search>) =>
  read(
    repos,
    { org },
    {
      page: page ?? 1,
      per_page: 50,
      ...(q !== undefined && { search: q }),
      ...(provider !== undefined && { provider }),
      ...(tag !== undefined && { tag: [tag] }),
    },
  );

export const reposRoute = route({
  name: 'repos',
  search,
  reads: ({ org }, given) => [readRepos(org, given)],
});
