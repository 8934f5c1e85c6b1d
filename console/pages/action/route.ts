import { action, deliveries, deliveriesOfAction } from '../../client/actions.ts';
import { read } from '../../client/query-client.ts';
import { firstInstant } from '../../model/delivery-days.ts';
import { oneOf, text } from '../../model/search-params.ts';
import type { ParamsOf } from '../route.ts';
import { route } from '../route.ts';

type Params = ParamsOf<'action'>;

/** A number in an address that is none is sent as it is, so that the service says what is wrong with it. */
const place = ({ org, action: number }: Params) => ({ org, action_number: number as unknown as number });

/** Deliveries of a page. */
export const PER_PAGE = 50;

export const readAction = (params: Params) => read(action, place(params));
export const readDeliveries = (params: Params, cursor?: string) =>
  read(deliveriesOfAction, place(params), { per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) });

/** The same page of deliveries, each with its message. Read when one of them is opened. */
export const readMessages = (params: Params, cursor?: string) =>
  read(deliveriesOfAction, place(params), {
    per_page: PER_PAGE,
    include: ['message'],
    ...(cursor !== undefined && { cursor }),
  });

/** The most deliveries that are counted. What is older is shown as not counted. */
const MOST_COUNTED = 100;

/** Deliveries of the last seven days. The address changes once a day, so a page that is drawn again reads nothing new. */
export const readWeek = ({ org, action: number }: Params, now = Date.now() / 1000) =>
  read(
    deliveries,
    { org },
    { action: number as unknown as number, start_ts: firstInstant(now), per_page: MOST_COUNTED },
  );

const state = oneOf('delivered', 'pending', 'dead', 'discarded');

export const actionRoute = route({
  name: 'action',
  search: { state, cursor: text },
  reads: (params, { cursor }) => [readAction(params), readDeliveries(params, cursor), readWeek(params)],
});
