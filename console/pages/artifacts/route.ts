import { artifacts, flows } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

const search = { flow: text, repo: text, page: pageNumber };
export const PER_PAGE = 25;

export const readArtifacts = (org: string, { flow, repo, page }: SearchOf<typeof search>) =>
  read(
    artifacts,
    { org },
    {
      page: page ?? 1,
      per_page: PER_PAGE,
      ...(flow !== undefined && { flow_name: flow }),
      ...(repo !== undefined && { repo_name: repo }),
    },
  );

/** Names for the filter. */
export const readFlowNames = (org: string) =>
  read(flows, { org }, { page: 1, per_page: 100, sort: 'latest_activity', sort_direction: 'desc' });

export const artifactsRoute = route({
  name: 'artifacts',
  search,
  reads: ({ org }, given) => [readArtifacts(org, given), readFlowNames(org)],
});
