import { read } from '../../client/query-client.ts';
import { type } from '../../client/types.ts';
import { pageNumber } from '../../model/search-params.ts';
import { type ParamsOf, route } from '../route.ts';

/** One answer holds all versions. */
export const readType = ({ org, type: name }: ParamsOf<'type'>) => read(type, { org, name });

export const typeRoute = route({
  name: 'type',
  search: { version: pageNumber },
  reads: (params) => [readType(params)],
});
