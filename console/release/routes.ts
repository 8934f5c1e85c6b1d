import { read } from '../client/query-client.ts';
import { environments } from '../environment/operations.ts';
import { flows } from '../flow/operations.ts';
import type { ParamsOf } from '../routes/params.ts';
import { route } from '../routes/route.ts';
import { day, daysPeriod, oneOf, orderOf, pageNumber, type SearchOf, text } from '../routes/search-params.ts';
import { flowTrails } from '../trail/operations.ts';
import {
  artifact,
  artifacts,
  builds,
  deployments,
  environmentAssertions,
  flowArtifacts,
  repo,
  repos,
} from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const artifactsSearch = { flow: text, repo: text, page: pageNumber };
export const ARTIFACTS_PER_PAGE = 25;

export const readArtifacts = (org: string, { flow, repo, page }: SearchOf<typeof artifactsSearch>) =>
  read(
    artifacts,
    { org },
    {
      page: page ?? 1,
      per_page: ARTIFACTS_PER_PAGE,
      ...(flow !== undefined && { flow_name: flow }),
      ...(repo !== undefined && { repo_name: repo }),
    },
  );

/** Names for the filter. */
export const readFlowNames = (org: string) =>
  read(flows, { org }, { page: 1, per_page: 100, sort: 'latest_activity', sort_direction: 'desc' });

export const artifactsRoute = route({
  name: 'artifacts',
  search: artifactsSearch,
  reads: ({ org }, given) => [readArtifacts(org, given), readFlowNames(org)],
});

type ArtifactPlace = ParamsOf<'artifact'>;

export const readArtifact = ({ org, flow, fingerprint }: ArtifactPlace) =>
  read(artifact, { org, flow, fingerprint }, { include: ['starts'] });

/** May it be released: the verdict in each environment, with the steps that led to it. */
export const readVerdicts = ({ org, fingerprint }: ArtifactPlace) =>
  read(environmentAssertions, { org, fingerprint }, { per_page: 100, reasons: 'chain' as const });

/** The trails in which it was reported, with what each asks for and has. */
export const readTrails = ({ org, flow, fingerprint }: ArtifactPlace) =>
  read(flowTrails, { org, flow }, { fingerprint, include: ['slots'], per_page: 10 });

/** The newest artifacts of the flow, for the one before and the one after. */
export const readNeighbours = ({ org, flow }: ArtifactPlace) => read(flowArtifacts, { org, flow }, { per_page: 50 });

export const artifactRoute = route({
  name: 'artifact',
  search: { artifact_id: text },
  reads: (params) => [readVerdicts(params), readArtifact(params), readTrails(params), readNeighbours(params)],
});

const buildsSearch = { repo: text, from: day, to: day, page: pageNumber };

export const readBuilds = (org: string, { repo, from, to, page }: SearchOf<typeof buildsSearch>) =>
  read(
    builds,
    { org },
    { page: page ?? 1, per_page: 50, ...daysPeriod({ from, to }), ...(repo !== undefined && { repo_name: repo }) },
  );

/** Names for the filter. */
export const readRepoNames = (org: string) => read(repos, { org }, { per_page: 50 });

export const buildsRoute = route({
  name: 'builds',
  search: buildsSearch,
  reads: ({ org }, given) => [readBuilds(org, given), readRepoNames(org)],
});

const reposSearch = { q: text, provider: text, tag: text, sort: orderOf('name'), page: pageNumber };

export const readRepos = (org: string, { q, provider, tag, sort, page }: SearchOf<typeof reposSearch>) =>
  read(
    repos,
    { org },
    {
      page: page ?? 1,
      per_page: 50,
      ...(q !== undefined && { search: q }),
      ...(sort === '-name' && { sort_direction: 'desc' as const }),
      ...(provider !== undefined && { provider }),
      ...(tag !== undefined && { tag: [tag] }),
    },
  );

export const reposRoute = route({
  name: 'repos',
  search: reposSearch,
  reads: ({ org }, given) => [readRepos(org, given)],
});

const tab = oneOf('release', 'run');
const repoSearch = { tab, env: text, provider: text, page: pageNumber };

type RepoPlace = ParamsOf<'repo'>;
type RepoSearch = SearchOf<typeof repoSearch>;

/** Several repositories can have the same name at different providers. */
export const readRepo = ({ org, repo: name }: RepoPlace, { provider }: RepoSearch) =>
  read(repo, { org, name }, provider === undefined ? {} : { provider });

export const readBuildsOfRepo = ({ org, repo: name }: RepoPlace, { page }: RepoSearch) =>
  read(builds, { org }, { repo_name: name, page: page ?? 1, per_page: 50 });

/** Environments to choose from. Deployments are of one environment. */
export const readEnvironments = ({ org }: RepoPlace) => read(environments, { org }, { per_page: 100, page: 1 });

export const readDeployments = ({ org, repo: name }: RepoPlace, env: string, { page }: RepoSearch) =>
  read(deployments, { org, env_name: env }, { repo_name: name, page: page ?? 1, per_page: 20, include: ['classes'] });

export const ARTIFACTS = 50;
export const readArtifactsOfRepo = ({ org, repo: name }: RepoPlace) =>
  read(artifacts, { org }, { repo_name: name, per_page: ARTIFACTS });

export const repoRoute = route({
  name: 'repo',
  search: repoSearch,
  reads: (params, given) => {
    const head = readRepo(params, given);
    if (given.tab === 'run') return [head, readArtifactsOfRepo(params)];
    if (given.tab === undefined) return [head, readBuildsOfRepo(params, given)];
    const list = readEnvironments(params);
    return given.env === undefined ? [head, list] : [head, list, readDeployments(params, given.env, given)];
  },
});
