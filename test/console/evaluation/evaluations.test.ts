import { describe, expect, it } from 'vitest';
import { evaluationListSentence, evaluationSentence, evaluationState } from '#console/evaluation/model/evaluations.ts';
import type { Evaluation } from '#console/evaluation/operations.ts';

describe('evaluations', () => {
  const completed = (allow: boolean, ...violations: string[]) =>
    ({ status: 'completed', result: { allow, violations }, error: null }) as unknown as Evaluation;
  const failed = (kind: string) =>
    ({ status: 'failed', result: null, error: { kind, message: '' } }) as unknown as Evaluation;
  const pending = { status: 'pending', result: null, error: null } as unknown as Evaluation;

  it.each<[string, Evaluation, string]>([
    ['granted', completed(true), 'Allowed: the policy program found no violation.'],
    ['granted', completed(true, 'a'), 'Allowed, with 1 violation that the policy program tolerates.'],
    ['denied', completed(false), 'Denied: the policy program does not allow it and names no violation.'],
    ['denied', completed(false, 'fewer than 1 reviewer.'), 'Denied: fewer than 1 reviewer.'],
    ['denied', completed(false, 'a', 'b', 'c'), 'Denied: a. 2 other violations.'],
    ['pending', pending, 'The policy program did not run yet.'],
  ])('is %s: «%s»', (state, evaluation, sentence) => {
    expect([evaluationState(evaluation), evaluationSentence(evaluation)]).toEqual([state, sentence]);
  });

  it('quotes the line at which the program of a decision stopped', () => {
    const step = { name: 'RCTL-2', html_url: '/', saw: null, compliant: false };
    const says = 'RCTL-2 denied: `input.trail.is_compliant` is false (policy.rego, line 5)';
    const reasons = [
      {
        ...step,
        step: 'attestation' as const,
        says: 'bob decided that RCTL-2 is not met, in `verdict` of promotion-8',
      },
      { ...step, step: 'evaluation' as const, says },
    ];
    expect(evaluationSentence({ ...completed(false), reasons })).toBe(`${says}.`);
    expect(evaluationSentence({ ...completed(false), reasons: [] })).toContain('names no violation');
  });

  it('says whose fault a failure is', () => {
    expect(evaluationSentence(failed('policy_error'))).toContain('Its author has to correct it.');
    expect(evaluationSentence(failed('internal_error'))).toContain('The service failed.');
    expect(evaluationState(failed('internal_error'))).toBe('failed');
  });

  it('shortens a long violation', () => {
    expect(evaluationSentence(completed(false, 'x'.repeat(5000))).length).toBeLessThan(200);
  });

  it('counts a list by verdict', () => {
    expect(evaluationListSentence([completed(true), failed('policy_error'), pending], 3)).toBe(
      'Of the 3 evaluations: 1 allowed, 0 denied, 1 without a verdict, 1 not finished.',
    );
    expect(evaluationListSentence([completed(false)], 40)).toBe(
      'Of the 1 shown of 40 evaluations: 0 allowed, 1 denied.',
    );
  });
});
