import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getAssets } from './get-assets.ts';
import { getReference } from './get-reference.ts';

/** A group of its own, so that the readiness check and the description start without the page's files. */
export const referenceGroup: EndpointGroup = {
  name: 'reference',
  about: 'This page.',
  endpoints: [getReference, ...getAssets],
};
