import { read } from '../../client/query-client.ts';
import { search as searchNames } from '../../client/search.ts';
import { text } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const LONGEST = 255;
export const readFound = (org: string, q: string) => read(searchNames, { org }, { q: q.slice(0, LONGEST) });

export const searchRoute = route({
  name: 'search',
  search: { q: text },
  reads: ({ org }, { q }) => (q === undefined ? [] : [readFound(org, q)]),
});
