import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getOpenApi } from './get-openapi.ts';
import { getReady } from './get-ready.ts';

/** @param groups every group of the service, this one among them: the description covers itself */
export const metaGroup = (groups: () => readonly EndpointGroup[]): EndpointGroup => ({
  name: 'meta',
  endpoints: [getReady, getOpenApi(groups)],
});
