import { pageNumber } from '../../model/search-params.ts';
import { readControl, readCoverage, readVersions } from '../control/reads.ts';
import { route } from '../route.ts';

export const controlVersionsRoute = route({
  name: 'control-versions',
  search: { page: pageNumber },
  reads: (params, { page }) => [readControl(params), readCoverage(params), readVersions(params, page)],
});
