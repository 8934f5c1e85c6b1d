import { read } from '../client/query-client.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { oneOf, pageNumber, type SearchOf, text, time } from '../routes/search-params.ts';
import { firstInstant } from './model/delivery-days.ts';
import { action, actions, deliveries, deliveriesOfAction, recipientsOfEvent } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const type = oneOf('flow', 'env');

export const readActions = (org: string, kind: 'flow' | 'env' | undefined) =>
  read(actions, { org }, kind === undefined ? {} : { type: kind });

export const actionsRoute = route({
  name: 'actions',
  search: { type },
  reads: ({ org }, search) => [readActions(org, search.type)],
});

type ActionPlace = ParamsOf<'action'>;

// A number in an address that is none is sent as it is, so that the service says what is wrong with it.
const asNumber = (text: string): number => text as unknown as number;
const place = ({ org, action: number }: ActionPlace) => ({ org, action_number: asNumber(number) });

/** Deliveries of a page. */
export const DELIVERIES_PER_PAGE = 50;

export const readAction = (params: ActionPlace) => read(action, place(params));
export const readDeliveries = (params: ActionPlace, cursor?: string) =>
  read(deliveriesOfAction, place(params), { per_page: DELIVERIES_PER_PAGE, ...(cursor !== undefined && { cursor }) });

/** The same page of deliveries, each with its message. Read when one of them is opened. */
export const readMessages = (params: ActionPlace, cursor?: string) =>
  read(deliveriesOfAction, place(params), {
    per_page: DELIVERIES_PER_PAGE,
    include: ['message'],
    ...(cursor !== undefined && { cursor }),
  });

/** The most deliveries that are counted. What is older is shown as not counted. */
const MOST_COUNTED = 100;

/** Deliveries of the last seven days. The address changes once a day, so a page that is drawn again reads nothing new. */
export const readWeek = ({ org, action: number }: ActionPlace, now = Date.now() / 1000) =>
  read(deliveries, { org }, { action: asNumber(number), start_ts: firstInstant(now), per_page: MOST_COUNTED });

const state = oneOf('delivered', 'pending', 'dead', 'discarded');

export const actionRoute = route({
  name: 'action',
  search: { state, cursor: text },
  reads: (params, { cursor }) => [readAction(params), readDeliveries(params, cursor), readWeek(params)],
});

export const TRIGGERS = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_EXPECTATION_DUE_SOON',
  'ON_EXPECTATION_MISSED',
  'ON_EXPECTATION_MET_AGAIN',
  'ON_EXPOSURE',
] as const;

const search = {
  action: pageNumber,
  state: oneOf('delivered', 'pending', 'dead', 'discarded'),
  trigger: oneOf(...TRIGGERS),
  flow: text,
  trail: text,
  environment: text,
  from: time,
  to: time,
  cursor: text,
  // One event, for «Who was told».
  attestation_id: text,
  moment: pageNumber,
  snapshot: pageNumber,
  fingerprint: text,
  artifact_name: text,
  gap: text,
};
export type DeliverySearch = SearchOf<typeof search>;

/** Whether the address names one event. Then the page lists the actions that were notified of it. */
export const namesEvent = (given: DeliverySearch): boolean => {
  const { attestation_id: attestation, moment, snapshot, trigger, fingerprint, gap } = given;
  const isEntry = trigger === 'ON_ALLOWED_ARTIFACT' && fingerprint !== undefined;
  return attestation !== undefined || moment !== undefined || snapshot !== undefined || gap !== undefined || isEntry;
};

export const readLog = (
  org: string,
  { action, state, trigger, flow, trail, environment, from, to, cursor }: DeliverySearch,
) =>
  read(
    deliveries,
    { org },
    {
      per_page: DELIVERIES_PER_PAGE,
      ...(action !== undefined && { action }),
      ...(state !== undefined && { state }),
      ...(trigger !== undefined && { trigger }),
      ...(flow !== undefined && { flow }),
      ...(trail !== undefined && { trail }),
      ...(environment !== undefined && { environment }),
      ...(from !== undefined && { start_ts: from }),
      ...(to !== undefined && { end_ts: to }),
      ...(cursor !== undefined && { cursor }),
    },
  );

type EnvironmentTrigger =
  | 'ON_STARTED_ARTIFACT'
  | 'ON_EXITED_ARTIFACT'
  | 'ON_NON_COMPLIANT_ENV'
  | 'ON_COMPLIANT_ENV'
  | 'ON_ALLOWED_ARTIFACT'
  | 'ON_EXPECTATION_MISSED'
  | 'ON_EXPECTATION_MET_AGAIN';

export const readExplanation = (org: string, given: DeliverySearch) => {
  const { attestation_id, flow, trail, moment, environment, snapshot, trigger, fingerprint, artifact_name, gap } =
    given;
  if (attestation_id !== undefined) return read(recipientsOfEvent, { org }, { attestation_id });
  if (moment !== undefined) {
    return read(
      recipientsOfEvent,
      { org },
      { moment, ...(flow !== undefined && { flow }), ...(trail !== undefined && { trail }) },
    );
  }
  return read(
    recipientsOfEvent,
    { org },
    {
      ...(environment !== undefined && { environment }),
      ...(snapshot !== undefined && { snapshot }),
      // Another trigger is sent as it is, so that the service says what is wrong with it.
      ...(trigger !== undefined && { trigger: trigger as EnvironmentTrigger }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(artifact_name !== undefined && { artifact_name }),
      ...(gap !== undefined && { gap }),
    },
  );
};

export const deliveriesRoute = route({
  name: 'deliveries',
  search,
  reads: ({ org }, given) => [namesEvent(given) ? readExplanation(org, given) : readLog(org, given)],
});
