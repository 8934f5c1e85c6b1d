import { controls } from '../../client/controls.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const search = { q: text, tag: text, archived: oneOf('true'), page: pageNumber };

export const readControls = (org: string, { q, tag, archived, page }: SearchOf<typeof search>) =>
  read(
    controls,
    { org },
    {
      per_page: 50,
      page: page ?? 1,
      ...(q !== undefined && { search: q }),
      ...(tag !== undefined && { tag: [tag] }),
      ...(archived !== undefined && { archived: true }),
    },
  );

export const controlsRoute = route({
  name: 'controls',
  search,
  reads: ({ org }, given) => [readControls(org, given)],
});
