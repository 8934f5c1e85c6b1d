import { deliveries, whoWasTold } from '../../client/actions.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, pageNumber, type SearchOf, text, time } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const TRIGGERS = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
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
};
export type DeliverySearch = SearchOf<typeof search>;

/** Whether the address names one event. Then the page says who was told of it. */
export const namesEvent = (given: DeliverySearch): boolean => {
  const { attestation_id: attestation, moment, snapshot, trigger, fingerprint } = given;
  const isEntry = trigger === 'ON_ALLOWED_ARTIFACT' && fingerprint !== undefined;
  return attestation !== undefined || moment !== undefined || snapshot !== undefined || isEntry;
};

export const PER_PAGE = 50;

export const readLog = (
  org: string,
  { action, state, trigger, flow, trail, environment, from, to, cursor }: DeliverySearch,
) =>
  read(
    deliveries,
    { org },
    {
      per_page: PER_PAGE,
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
  | 'ON_ALLOWED_ARTIFACT';

export const readExplanation = (org: string, given: DeliverySearch) => {
  const { attestation_id, flow, trail, moment, environment, snapshot, trigger, fingerprint, artifact_name } = given;
  if (attestation_id !== undefined) return read(whoWasTold, { org }, { attestation_id });
  if (moment !== undefined) {
    return read(
      whoWasTold,
      { org },
      { moment, ...(flow !== undefined && { flow }), ...(trail !== undefined && { trail }) },
    );
  }
  return read(
    whoWasTold,
    { org },
    {
      ...(environment !== undefined && { environment }),
      ...(snapshot !== undefined && { snapshot }),
      ...(trigger !== undefined && { trigger: trigger as EnvironmentTrigger }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(artifact_name !== undefined && { artifact_name }),
    },
  );
};

export const deliveriesRoute = route({
  name: 'deliveries',
  search,
  reads: ({ org }, given): readonly unknown[] => [
    namesEvent(given) ? readExplanation(org, given) : readLog(org, given),
  ],
});
