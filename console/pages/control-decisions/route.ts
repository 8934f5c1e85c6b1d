import { oneOf, text } from '../../model/search-params.ts';
import { readControl, readCoverage, readDecisions } from '../control/reads.ts';
import { route } from '../route.ts';

const result = oneOf('true', 'false');

export const controlDecisionsRoute = route({
  name: 'control-decisions',
  search: { result, cursor: text },
  reads: (params, search) => [readControl(params), readCoverage(params), readDecisions(params, search)],
});
