import { endpointGroup } from '#shared/http/endpoint.ts';
import { getAssets } from './get-assets.ts';
import { getReference } from './get-reference.ts';

/** A group apart from `meta`, so that `/ready` and `/openapi.json` start without loading the page's files. */
export const referenceGroup = endpointGroup({
  name: 'reference',
  about: 'This page.',
  endpoints: [getReference, ...getAssets],
});
