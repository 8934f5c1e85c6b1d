import { route } from '../route.ts';
import { readControl, readCoverage, readDecisions } from './reads.ts';

export const controlRoute = route({
  name: 'control',
  search: {},
  reads: (params) => [readControl(params), readCoverage(params), readDecisions(params)],
});
