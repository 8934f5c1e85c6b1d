import { actions } from '../../client/actions.ts';
import { read } from '../../client/query-client.ts';
import { oneOf } from '../../model/search-params.ts';
import { route } from '../route.ts';

const type = oneOf('flow', 'env');

export const readActions = (org: string, kind: 'flow' | 'env' | undefined) =>
  read(actions, { org }, kind === undefined ? {} : { type: kind });

export const actionsRoute = route({
  name: 'actions',
  search: { type },
  reads: ({ org }, search) => [readActions(org, search.type)],
});
