import { readHead } from '../environment/reads.ts';
import { route } from '../route.ts';

export const environmentSettingsRoute = route({
  name: 'environment-settings',
  search: {},
  reads: (params) => [readHead(params)],
});
