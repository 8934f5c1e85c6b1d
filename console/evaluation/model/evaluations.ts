import { lastFailures } from '#shared/base/reasons/steps.ts';
import type { StateName } from '../../model/states.ts';
import { count } from '../../model/words.ts';
import { stepsOf } from '../../parts/reasons/model.ts';
import type { Evaluation, Replay } from '../operations.ts';

type Facts = Pick<Evaluation, 'status' | 'result' | 'error'> & Partial<Pick<Evaluation, 'reasons'>>;

export function evaluationState({ status, result }: Facts): StateName {
  if (status === 'pending') return 'pending';
  if (status === 'failed' || result === null) return 'failed';
  return result.allow ? 'granted' : 'denied';
}

/** What each kind of failure means, and who can do something about it. */
const FAULTS: Readonly<Record<string, string>> = {
  policy_invalid: 'The policy program cannot be read. Its author has to correct it.',
  policy_error: 'The policy program failed while it ran. Its author has to correct it.',
  policy_timeout: 'The policy program ran for too long. Its author has to make it quicker.',
  context_error: 'The trails could not be given to the policy program.',
  internal_error: 'The service failed. A new request may succeed.',
};

const ENOUGH = 160;

/** The verdict of a policy program, or why there is none. A denial quotes the last step of its chain of reasons, if it was asked for. */
export function evaluationSentence(evaluation: Facts): string {
  const { status, result, error } = evaluation;
  if (status === 'pending') return 'The policy program did not run yet.';
  if (error !== null || result === null) {
    return `No verdict. ${FAULTS[error?.kind ?? ''] ?? 'The result is not known.'}`;
  }
  const { violations, allow } = result;
  const [first = ''] = violations;
  if (allow) {
    return violations.length === 0
      ? 'Allowed: the policy program found no violation.'
      : `Allowed, with ${count(violations.length, 'violation')} that the policy program tolerates.`;
  }
  const [denial] = lastFailures(stepsOf(evaluation.reasons));
  if (denial) return `${shortened(denial.says).replace(/\.$/, '')}.`;
  if (violations.length === 0) return 'Denied: the policy program does not allow it and names no violation.';
  const others = violations.length === 1 ? '' : ` ${count(violations.length - 1, 'other violation')}.`;
  return `Denied: ${shortened(first).replace(/\.$/, '')}.${others}`;
}

const shortened = (text: string): string => (text.length > ENOUGH ? `${text.slice(0, ENOUGH - 1)}…` : text);

/** What a list of evaluations says first. */
export function evaluationListSentence(evaluations: readonly Facts[], total: number): string {
  if (total === 0) return 'No policy program was run yet.';
  const states = evaluations.map(evaluationState);
  const of = (state: StateName) => states.filter((one) => one === state).length;
  const parts = [
    `${of('granted')} allowed`,
    `${of('denied')} denied`,
    ...(of('failed') > 0 ? [`${of('failed')} without a verdict`] : []),
    ...(of('pending') > 0 ? [`${of('pending')} not finished`] : []),
  ];
  return `Of the ${evaluations.length === total ? '' : `${evaluations.length} shown of `}${count(total, 'evaluation')}: ${parts.join(', ')}.`;
}

/** Whether a replay came to the same outcome. */
export const replaySentence = ({ identical }: Pick<Replay, 'identical'>): string =>
  identical
    ? 'Identical: the same program on the same input came to the same outcome.'
    : 'Not identical: the same program on the same input came to another outcome.';
