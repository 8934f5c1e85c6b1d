import type { listDeployments } from '#functions/environments/list-deployments.ts';
import type { getRepo } from '#functions/repos/get-repo.ts';
import type { listRepos } from '#functions/repos/list-repos.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Operations on repositories, and on what was deployed from them. */
export const repos = operation<typeof listRepos>()('GET', '/repos/{org}', 'reader');
export const repo = operation<typeof getRepo>()('GET', '/repos/{org}/{name+}', 'reader');
export const deployments = operation<typeof listDeployments>()(
  'GET',
  '/environments/{org}/{env_name}/deployments',
  'reader',
);

export type Repo = AnswerOf<typeof getRepo>;
export type Deployments = AnswerOf<typeof listDeployments>;
export type Deployment = Deployments['deployments'][number];
