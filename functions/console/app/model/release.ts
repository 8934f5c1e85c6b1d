import type { EnvironmentAssertions } from '../client/flows.ts';
import type { StateName } from './states.ts';
import { stateOfVerdict } from './states.ts';
import { listed } from './trail.ts';

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

/**
 * May the artifact be released, and why not. Logical environments are left out: nothing is released to them.
 * @param missing what is wrong with its trail: `review is missing`; empty if nothing is
 */
export function releaseSentence(all: readonly EnvironmentVerdict[], missing: string): string {
  const verdicts = refusedFirst(all.filter(({ type }) => type !== 'logical'));
  const refused = namesOf(verdicts, false);
  const allowed = namesOf(verdicts, true);
  const unknown = namesOf(verdicts, null);
  const reason = missing || verdicts.find(({ reasons }) => reasons.length > 0)?.reasons[0] || '';
  const parts = [
    refused.length > 0 &&
      `May not be released to ${listed(refused)}${reason === '' ? '' : `: ${withoutStop(reason)}`}.`,
    allowed.length > 0 && `May be released to ${listed(allowed)}.`,
    unknown.length > 0 && `Nothing decides about ${listed(unknown)}.`,
  ].filter((part) => part !== false);
  return parts.join(' ') || 'There is no environment to release to.';
}

const namesOf = (verdicts: readonly EnvironmentVerdict[], wanted: boolean | null): string[] =>
  verdicts.filter(({ compliant }) => compliant === wanted).map(({ environment }) => environment);

const withoutStop = (text: string): string => text.replace(/\.$/, '');
