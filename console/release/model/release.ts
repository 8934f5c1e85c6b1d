import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import type { StateName } from '../../model/states.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { listed } from '../../model/words.ts';
import { stepsOf } from '../../parts/reasons/model.ts';
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

const isLogical = ({ type }: EnvironmentVerdict): boolean => type === 'logical';

/** Whether an environment refuses the artifact. Logical environments do not count: nothing is released to them. */
export const isRefused = (verdicts: readonly EnvironmentVerdict[]): boolean =>
  verdicts.some((verdict) => verdict.compliant === false && !isLogical(verdict));

/** Why an environment refuses an artifact, from the last step of its chain; null if it does not, or if nothing says why. */
export const refusalReason = (artifact: string, { reasons }: EnvironmentVerdict): string | null =>
  reasonSentence(artifact, stepsOf(reasons));

/** Why nobody knows the verdict of an environment: its reporter is silent; null if nothing decides about the artifact. */
export function silenceReason({ environment, compliant, reasons }: EnvironmentVerdict): string | null {
  if (compliant !== null) return null;
  const step = stepsOf(reasons).find(
    ({ step, name, saw }) => step === 'environment' && name === environment && saw === 'silent',
  );
  return step?.says ?? null;
}

/**
 * May the artifact be released, and why not: each environment with the reason of its own verdict. Environments that have the
 * same reason stand together. Logical environments are left out: nothing is released to them.
 *
 * @param artifact name of the artifact
 */
export function releaseSentence(artifact: string, all: readonly EnvironmentVerdict[]): string {
  const verdicts = refusedFirst(all.filter((verdict) => !isLogical(verdict)));
  const refused = verdicts.filter(({ compliant }) => compliant === false);
  const groups = [...Map.groupBy(refused, (verdict) => refusalReason(artifact, verdict))];
  const unnamed = groups.slice(MOST_REASONS).flatMap(([, group]) => group);
  const allowed = namesOf(verdicts, true);
  const silent = verdicts.flatMap((verdict) => silenceReason(verdict) ?? []);
  const unknown = verdicts.filter((verdict) => verdict.compliant === null && silenceReason(verdict) === null);
  const parts = [
    ...groups
      .slice(0, MOST_REASONS)
      .map(([reason, group], n) => refusal(reason, group, n === 0 ? 'May not be released to' : 'Nor to')),
    unnamed.length > 0 && `Nor to ${listed(unnamed.map(({ environment }) => environment))}, for other reasons.`,
    allowed.length > 0 && `May be released to ${listed(allowed)}.`,
    ...silent.map((says) => `${withoutStop(says)}.`),
    unknown.length > 0 && `Nothing decides about ${listed(unknown.map(({ environment }) => environment))}.`,
  ].filter((part) => part !== false);
  return parts.join(' ') || 'There is no environment to release to.';
}

/** @param group environments that refuse the artifact for the same reason */
function refusal(reason: string | null, group: readonly EnvironmentVerdict[], beginning: string): string {
  const why = reason === null ? '' : `: ${withoutStop(reason)}`;
  return `${beginning} ${listed(group.map(({ environment }) => environment))}${why}.`;
}

const namesOf = (verdicts: readonly EnvironmentVerdict[], wanted: boolean): string[] =>
  verdicts.filter(({ compliant }) => compliant === wanted).map(({ environment }) => environment);

const withoutStop = (text: string): string => text.replace(/\.$/, '');
