import { action, deliveriesOfAction } from '../../client/actions.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, text } from '../../model/search-params.ts';
import type { ParamsOf } from '../route.ts';
import { route } from '../route.ts';

type Params = ParamsOf<'action'>;

/** A number in an address that is none is sent as it is, so that the service says what is wrong with it. */
const place = ({ org, action: number }: Params) => ({ org, action_number: number as unknown as number });

export const readAction = (params: Params) => read(action, place(params));
export const readDeliveries = (params: Params, cursor?: string) =>
  read(deliveriesOfAction, place(params), { per_page: 50, ...(cursor !== undefined && { cursor }) });

const state = oneOf('delivered', 'pending', 'dead', 'discarded');

export const actionRoute = route({
  name: 'action',
  search: { state, cursor: text },
  reads: (params, { cursor }) => [readAction(params), readDeliveries(params, cursor)],
});
