import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { searchSha } from './search-sha.ts';

export const searchGroup: EndpointGroup = {
  name: 'search',
  about: 'Artifacts by the beginning of a fingerprint or commit.',
  endpoints: [searchSha],
};
