import { endpointGroup } from '#shared/http/endpoint.ts';
import { getExposure } from './get-exposure.ts';
import { listComponents } from './list-components.ts';
import { listSbomComponents } from './list-sbom-components.ts';

export const componentsGroup = endpointGroup({
  name: 'components',
  about: 'Which builds hold a component, and where they run.',
  endpoints: [listComponents, getExposure, listSbomComponents],
});
