import { count, listed } from '../../model/words.ts';
import type { Policy } from '../operations.ts';

/** What the list of policies says first. */
export function policyListSentence(policies: readonly Pick<Policy, 'name' | 'consuming_envs'>[]): string {
  if (policies.length === 0) return 'No environment can be judged: there is no policy yet.';
  const environments = new Set(policies.flatMap(({ consuming_envs: names }) => names));
  const idle = policies.filter(({ consuming_envs: names }) => names.length === 0).map(({ name }) => name);
  const used = policies.length - idle.length;
  const judge = `${count(used, 'policy')} ${used === 1 ? 'judges' : 'judge'} ${count(environments.size, 'environment')}.`;
  return idle.length === 0 ? judge : `${judge} ${listed(idle)} ${idle.length === 1 ? 'is' : 'are'} attached to none.`;
}

/** An environment that a policy is attached to, as far as its state is known. */
interface Judged {
  name: string;
  state: boolean | null;
}

/** Which environments a policy judges, and which of them are not compliant. A failing environment may fail another policy. */
export function policySentence(policy: Pick<Policy, 'consuming_envs' | 'versions'>, states: readonly Judged[]): string {
  const newest = policy.versions.at(-1)?.version;
  const version = newest === undefined ? 'The policy' : `Version ${newest}`;
  const names = policy.consuming_envs;
  if (names.length === 0) return `${version} is attached to no environment, so it judges nothing.`;
  const failing = states.filter(({ state }) => state === false).map(({ name }) => name);
  const judges = `${version} judges ${listed(names)}.`;
  if (states.length === 0) return judges;
  if (failing.length > 0) {
    return `${judges} ${listed(failing)} ${failing.length === 1 ? 'is' : 'are'} not compliant.`;
  }
  if (!states.every(({ state }) => state === true)) return judges;
  return `${judges} ${names.length === 1 ? 'It is' : 'All are'} compliant.`;
}
