import type { StateName } from '../../model/states.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import type { EnvironmentAssertions } from '../operations.ts';

export type EnvironmentVerdict = EnvironmentAssertions['environments'][number];

/**
 * Verdicts in the order in which a reader needs them: refused first, then unknown, then allowed. Those of policies come
 * before those of flows, because somebody asked for them.
 */
export const refusedFirst = (verdicts: readonly EnvironmentVerdict[]): EnvironmentVerdict[] =>
  verdicts.toSorted((one, other) => rank(one) - rank(other) || (one.environment < other.environment ? -1 : 1));

const rank = ({ compliant, decided_by: by }: EnvironmentVerdict): number =>
  (compliant === false ? 0 : compliant === null ? 2 : 4) + (by === 'policies' ? 0 : 1);

/** The state of a verdict. What the allow-list decided looks like it. */
export const stateOfRelease = ({ compliant, decided_by: by }: EnvironmentVerdict): StateName =>
  by === 'allow_list' ? 'allowed' : stateOfVerdict(compliant);

/** What decided, in words. */
export function decidedText({ decided_by: by, policies }: EnvironmentVerdict): string {
  switch (by) {
    case 'allow_list':
      return 'on the allow-list';
    case 'policies':
      return policies.map(({ policy_name: name, policy_version: version }) => `${name} v${version}`).join(', ');
    case 'flows':
      return 'no policy, so the flow decides';
    default:
      return 'no policy and no flow';
  }
}

/** Groups of refused environments that a sentence gives the reason of. */
const MOST_REASONS = 3;

/**
 * May the artifact be released, and why not: each environment with the reasons of its own verdict. Environments that have
 * the same reasons stand together. Logical environments are left out: nothing is released to them.
 */
export function releaseSentence(all: readonly EnvironmentVerdict[]): string {
  const verdicts = refusedFirst(all.filter(({ type }) => type !== 'logical'));
  const refused = verdicts.filter(({ compliant }) => compliant === false);
  const groups = [...Map.groupBy(refused, ({ reasons }) => reasons.join('\n')).values()];
  const unnamed = groups.slice(MOST_REASONS).flat();
  const allowed = namesOf(verdicts, true);
  const unknown = namesOf(verdicts, null);
  const parts = [
    ...groups.slice(0, MOST_REASONS).map((group, n) => refusal(group, n === 0 ? 'May not be released to' : 'Nor to')),
    unnamed.length > 0 && `Nor to ${listed(unnamed.map(({ environment }) => environment))}, for other reasons.`,
    allowed.length > 0 && `May be released to ${listed(allowed)}.`,
    unknown.length > 0 && `Nothing decides about ${listed(unknown)}.`,
  ].filter((part) => part !== false);
  return parts.join(' ') || 'There is no environment to release to.';
}

/** @param group environments that refuse the artifact for the same reasons */
function refusal(group: readonly EnvironmentVerdict[], beginning: string): string {
  const [reason, ...others] = group[0]?.reasons ?? [];
  const more = others.length === 0 ? '' : ` (and ${count(others.length, 'more reason')})`;
  const why = reason === undefined ? '' : `: ${withoutStop(reason)}${more}`;
  return `${beginning} ${listed(group.map(({ environment }) => environment))}${why}.`;
}

const namesOf = (verdicts: readonly EnvironmentVerdict[], wanted: boolean | null): string[] =>
  verdicts.filter(({ compliant }) => compliant === wanted).map(({ environment }) => environment);

const withoutStop = (text: string): string => text.replace(/\.$/, '');
