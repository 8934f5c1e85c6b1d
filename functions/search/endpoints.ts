import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { searchSha } from './search-sha.ts';

export const searchGroup: EndpointGroup = {
  name: 'search',
  about: 'Finds artifacts by a fingerprint or a commit, or by a prefix of one.',
  endpoints: [searchSha],
};
