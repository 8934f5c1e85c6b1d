import { oneOf, text } from '../../model/search-params.ts';
import { ROW_STATES } from '../../model/snapshot-rows.ts';
import { readRows, readSnapshot } from '../environment/reads.ts';
import { route } from '../route.ts';

export const snapshotRoute = route({
  name: 'snapshot',
  search: { tab: oneOf('policies', 'changes'), state: oneOf(...ROW_STATES), q: text },
  reads: (params, { tab }) => [
    readRows(params, params.expression),
    ...(tab === 'policies' ? [readSnapshot(params, params.expression)] : []),
  ],
});
