import { endpointGroup } from '#shared/http/endpoint.ts';
import { getRepo } from './get-repo.ts';
import { listRepos } from './list-repos.ts';

export const reposGroup = endpointGroup({
  name: 'repos',
  about: 'Source repositories that reports named.',
  endpoints: [listRepos, getRepo],
});
