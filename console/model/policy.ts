import { diffArrays } from 'diff';
import type { Policy } from '../client/policies.ts';
import { count, listed } from './trail.ts';

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
export interface Judged {
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
  return states.every(({ state }) => state === true) ? `${judges} All are compliant.` : judges;
}

/** A line of two versions side by side. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Number of the line in the older and in the newer text; null where it is not part of one. */
  before: number | null;
  after: number | null;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** The lines of two texts, in the order in which they are read. */
export function diffLines(older: string, newer: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  for (const { value, added, removed } of diffArrays(linesOf(older), linesOf(newer))) {
    for (const text of value) {
      if (!added) before += 1;
      if (!removed) after += 1;
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      lines.push({ kind, text, before: added ? null : before, after: removed ? null : after });
    }
  }
  return lines;
}

const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');

/** Leaves out what is far from every change. `null` stands for lines that were left out. */
export function nearChanges(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const near = lines.map((_, n) =>
    lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (DiffLine | null)[] = [];
  for (const [n, line] of lines.entries()) {
    if (near[n]) shown.push(line);
    else if (shown.length === 0 || shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}

export function changeText(lines: readonly DiffLine[]): string {
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  return added + removed === 0 ? 'The texts are the same.' : `${count(added, 'line')} added, ${removed} removed.`;
}
