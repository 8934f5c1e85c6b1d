import type { getArtifact } from '#functions/artifacts/get-artifact.ts';
import type { listArtifacts } from '#functions/artifacts/list-artifacts.ts';
import type { listFlowArtifacts } from '#functions/artifacts/list-flow-artifacts.ts';
import type { assertInEnvironments } from '#functions/asserts/assert-in-environments.ts';
import type { listBuilds } from '#functions/builds/list-builds.ts';
import type { listDeployments } from '#functions/environments/list-deployments.ts';
import type { getRepo, listRepos } from '#functions/repos/read-repos.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on artifacts, builds and repositories, and on what was deployed from them. */
export const artifact = operation<typeof getArtifact>()(
  'GET',
  '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  'reader',
);
export const flowArtifacts = operation<typeof listFlowArtifacts>()('GET', '/artifacts/{org}/{flow}', 'reader');
export const artifacts = operation<typeof listArtifacts>()('GET', '/artifacts/{org}', 'reader');
export const environmentAssertions = operation<typeof assertInEnvironments>()(
  'GET',
  '/asserts/{org}/fingerprint/{fingerprint}/environments',
  'reader',
);
export const builds = operation<typeof listBuilds>()('GET', '/builds/{org}', 'reader');
export const repos = operation<typeof listRepos>()('GET', '/repos/{org}', 'reader');
export const repo = operation<typeof getRepo>()('GET', '/repos/{org}/{name+}', 'reader');
export const deployments = operation<typeof listDeployments>()(
  'GET',
  '/environments/{org}/{env_name}/deployments',
  'reader',
);

export type Artifact = AnswerOf<typeof getArtifact>;
/** The last start in an environment, and what the artifact replaced there. */
export type LastStart = NonNullable<Artifact['starts']>[number];
export type EnvironmentAssertions = AnswerOf<typeof assertInEnvironments>;
export type Build = AnswerOf<typeof listBuilds>['builds'][number];
export type Repo = AnswerOf<typeof getRepo>;
export type Deployments = AnswerOf<typeof listDeployments>;
export type Deployment = Deployments['deployments'][number];
