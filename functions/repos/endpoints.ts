import { endpointGroup } from '#shared/http/endpoint.ts';
import { getRepo, listRepos } from './read-repos.ts';

export const reposGroup = endpointGroup({
  name: 'repos',
  about: 'Source repositories that reports named.',
  endpoints: [listRepos, getRepo],
});
