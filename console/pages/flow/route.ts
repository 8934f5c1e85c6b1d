import { flow, flowArtifacts, flowFrequency } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { flowTrails } from '../../client/trails.ts';
import { day, daysPeriod, oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { type ParamsOf, route } from '../route.ts';

const tab = oneOf('template', 'frequency');
const columns = oneOf('all');
const state = oneOf('compliant', 'incomplete', 'non-compliant');
const search = {
  tab,
  columns,
  state,
  q: text,
  from: day,
  to: day,
  page: pageNumber,
  cursor: text,
  days: oneOf('90', '365'),
};

/** Each trail is read with everything that decides its verdict. */
const TRAILS_PER_PAGE = 25;
/** The newest reports of artifacts: where they run is shown beside their trails. */
const ARTIFACTS = 50;

const WORDS = { compliant: 'COMPLIANT', incomplete: 'INCOMPLETE', 'non-compliant': 'NON-COMPLIANT' } as const;

/** Lists by name or state have cursors, others have page numbers. */
export const isScanned = ({ q, state: wanted }: SearchOf<typeof search>): boolean =>
  q !== undefined || wanted !== undefined;

export const readTrails = (params: ParamsOf<'flow'>, given: SearchOf<typeof search>) =>
  read(flowTrails, params, {
    include: ['slots'],
    per_page: TRAILS_PER_PAGE,
    ...daysPeriod(given),
    ...(given.q !== undefined && { name: given.q }),
    ...(given.state !== undefined && { compliance_state: [WORDS[given.state]] }),
    ...(isScanned(given) ? { cursor: given.cursor } : { page: given.page ?? 1 }),
  });

export const readArtifacts = (params: ParamsOf<'flow'>) => read(flowArtifacts, params, { per_page: ARTIFACTS });

const DAY = 86_400;

/** The last days with the present one. The address of the read stays the same for a whole day. */
export const readFrequency = (params: ParamsOf<'flow'>, days: number) => {
  const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
  return { ...read(flowFrequency, params, { start_ts: today - (days - 1) * DAY }), staleTime: 60_000 };
};

/** Days of the strip above the trails, and of the tab unless the address says otherwise. */
export const STRIP_DAYS = 30;

export const flowRoute = route({
  name: 'flow',
  search,
  reads: (params, given) =>
    given.tab === 'template'
      ? [read(flow, params)]
      : given.tab === 'frequency'
        ? [read(flow, params), readFrequency(params, Number(given.days ?? STRIP_DAYS))]
        : [read(flow, params), readTrails(params, given), readArtifacts(params), readFrequency(params, STRIP_DAYS)],
});
