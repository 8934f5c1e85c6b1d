import { environments } from '../../client/environments.ts';
import { artifacts, builds } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { deployments, repo } from '../../client/repos.ts';
import { oneOf, pageNumber, type SearchOf, text } from '../../model/search-params.ts';
import { type ParamsOf, route } from '../route.ts';

const tab = oneOf('release', 'run');
const search = { tab, env: text, provider: text, page: pageNumber };

type Place = ParamsOf<'repo'>;
type Search = SearchOf<typeof search>;

/** Several repositories can have the same name at different providers. */
export const readRepo = ({ org, repo: name }: Place, { provider }: Search) =>
  read(repo, { org, name }, provider === undefined ? {} : { provider });

export const readBuilds = ({ org, repo: name }: Place, { page }: Search) =>
  read(builds, { org }, { repo_name: name, page: page ?? 1, per_page: 50 });

/** Environments to choose from. Deployments are of one environment. */
export const readEnvironments = ({ org }: Place) => read(environments, { org }, { per_page: 100, page: 1 });

export const readDeployments = ({ org, repo: name }: Place, env: string, { page }: Search) =>
  read(deployments, { org, env_name: env }, { repo_name: name, page: page ?? 1, per_page: 20 });

export const ARTIFACTS = 50;
export const readArtifacts = ({ org, repo: name }: Place) =>
  read(artifacts, { org }, { repo_name: name, per_page: ARTIFACTS });

export const repoRoute = route({
  name: 'repo',
  search,
  reads: (params, given) => {
    const head = readRepo(params, given);
    if (given.tab === 'run') return [head, readArtifacts(params)];
    if (given.tab === undefined) return [head, readBuilds(params, given)];
    const list = readEnvironments(params);
    return given.env === undefined ? [head, list] : [head, list, readDeployments(params, given.env, given)];
  },
});
