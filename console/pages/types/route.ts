import { read } from '../../client/query-client.ts';
import { types } from '../../client/types.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const archived = oneOf('with');
const search = { q: text, archived, page: pageNumber };
export const PER_PAGE = 50;

export const readTypes = (org: string, { q, archived: which, page }: SearchOf<typeof search>) =>
  read(
    types,
    { org },
    {
      page: page ?? 1,
      per_page: PER_PAGE,
      ...(q !== undefined && { search: q }),
      ...(which !== undefined && { archived: true }),
    },
  );

export const typesRoute = route({ name: 'types', search, reads: ({ org }, given) => [readTypes(org, given)] });
