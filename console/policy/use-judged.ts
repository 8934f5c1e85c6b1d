import { useAnswer } from '../client/live.ts';
import type { Environment } from '../environment/operations.ts';
import { allOf } from '../model/pages.ts';
import type { Policy } from './operations.ts';
import { readStates } from './routes.ts';

/** The environments that a policy is attached to, what is wrong first. */
export function useJudged(org: string, policy: Pick<Policy, 'consuming_envs'>): readonly Environment[] {
  const all = allOf(useAnswer(readStates(org)), 'environments');
  return all.filter(({ name }) => policy.consuming_envs.includes(name));
}
