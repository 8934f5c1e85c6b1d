import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getOpenApi } from './get-openapi.ts';
import { getReady } from './get-ready.ts';

/** @param documentText the description of every group as JSON, this one among them */
export const metaGroup = (documentText: () => string): EndpointGroup => ({
  name: 'meta',
  about: 'Whether the service is up, and this description.',
  endpoints: [getReady, getOpenApi(documentText)],
});
