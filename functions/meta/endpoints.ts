import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getOpenApi } from './get-openapi.ts';
import { getReady } from './get-ready.ts';
import { getVersion } from './get-version.ts';

/** @param documentText returns the OpenAPI document of all groups, including this one, as JSON text */
export const metaGroup = (documentText: () => string): EndpointGroup => ({
  name: 'meta',
  about: 'Whether the service is up, which release it is, and this description.',
  endpoints: [getReady, getVersion, getOpenApi(documentText)],
});
