import { type Environment, everReported } from '../../client/environments.ts';
import { oneOf, pageNumber, text } from '../../model/search-params.ts';
import { ROW_STATES } from '../../model/snapshot-rows.ts';
import { route } from '../route.ts';
import { readEvents, readFrequency, readHead, readRows, readSummaries } from './reads.ts';

const search = {
  tab: oneOf('events'),
  page: pageNumber,
  days: oneOf('7', '30', '365'),
  state: oneOf(...ROW_STATES),
  q: text,
};

export const environmentRoute = route({
  name: 'environment',
  search,
  reads: (params, { tab, page }) =>
    tab === 'events'
      ? [readHead(params), readEvents(params, page)]
      : [readHead(params), readSummaries(params), readFrequency(params)],
  readsAfter: (environment: Environment, params, { tab }) =>
    tab === undefined && everReported(environment) ? [readRows(params)] : [],
});
