import { endpointGroup } from '#shared/http/endpoint.ts';
import { searchNames } from './search-names.ts';
import { searchSha } from './search-sha.ts';

export const searchGroup = endpointGroup({
  name: 'search',
  about: 'Finds artifacts by a fingerprint or a commit, and other records by their names; the beginning is enough.',
  endpoints: [searchSha, searchNames],
});
