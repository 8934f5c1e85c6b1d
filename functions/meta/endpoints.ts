import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getOpenApi } from './get-openapi.ts';
import { getReady } from './get-ready.ts';

/** @param documentText returns the OpenAPI document of all groups, including this one, as JSON text */
export const metaGroup = (documentText: () => string): EndpointGroup => ({
  name: 'meta',
  about: 'Whether the service is up, and this description.',
  endpoints: [getReady, getOpenApi(documentText)],
});
