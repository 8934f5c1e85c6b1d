import { endpointGroup } from '#shared/http/endpoint.ts';
import { getComponentDifferences } from './get-component-differences.ts';
import { getExposure } from './get-exposure.ts';
import { listComponents } from './list-components.ts';
import { listSbomComponents } from './list-sbom-components.ts';
import { deleteWatch, putWatch } from './watches/change-watch.ts';
import { getWatchCase } from './watches/get-case.ts';
import { getWatch, listWatches } from './watches/read-watches.ts';

export const componentsGroup = endpointGroup({
  name: 'components',
  owns: ['watches'],
  about: 'Which builds hold a component, where they run, and who wants to know of them.',
  endpoints: [
    listComponents,
    getExposure,
    listSbomComponents,
    getComponentDifferences,
    putWatch,
    listWatches,
    getWatch,
    getWatchCase,
    deleteWatch,
  ],
});
