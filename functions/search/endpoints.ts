import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { searchSha } from './search-sha.ts';

export const searchGroup: EndpointGroup = { name: 'search', endpoints: [searchSha] };
