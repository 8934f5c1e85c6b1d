import { environments } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

/** Words for the types of environments, as answers write them. */
export const TYPES = ['K8S', 'ECS', 'S3', 'lambda', 'server', 'docker', 'azure-apps', 'cloud-run', 'logical'] as const;

export const SORTS = ['name', 'last_changed_at', 'last_modified_at'] as const;

const search = {
  q: text,
  tag: text,
  type: oneOf(...TYPES),
  sort: oneOf(...SORTS),
  page: pageNumber,
};

/** Without a choice, what needs attention comes first. Times are sorted with the newest first. */
export const readEnvironments = (org: string, { q, tag, type, sort, page }: SearchOf<typeof search>) =>
  read(
    environments,
    { org },
    {
      include: ['states'],
      per_page: 50,
      page: page ?? 1,
      sort: sort ?? 'state',
      ...(sort !== undefined && sort !== 'name' && { sort_direction: 'desc' as const }),
      ...(q !== undefined && { name: q }),
      ...(tag !== undefined && { tag: [tag] }),
      ...(type !== undefined && { type: [type] }),
    },
  );

export const environmentsRoute = route({
  name: 'environments',
  search,
  reads: ({ org }, given) => [readEnvironments(org, given)],
});
