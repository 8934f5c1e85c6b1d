import { oneOf, pageNumber, text } from '../../model/search-params.ts';
import { readControl, readCoverage } from '../control/reads.ts';
import { route } from '../route.ts';

const covered = oneOf('true', 'false');

export const controlCoverageRoute = route({
  name: 'control-coverage',
  search: { covered, q: text, page: pageNumber },
  reads: (params, search) => [readControl(params), readCoverage(params), readCoverage(params, search)],
});
