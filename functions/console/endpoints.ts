import { endpointGroup } from '#shared/http/endpoint.ts';
import { getAsset } from './get-asset.ts';

/** `unknown-route` serves the pages themselves, because their addresses have no routes. */
export const consoleGroup = endpointGroup({
  name: 'console',
  about: 'Files of the pages for people.',
  endpoints: [getAsset],
});
