import { describe, expect, it } from 'vitest';
import { ServiceError } from '#shared/base/errors.ts';
import { checkLimit, limitAssert, MOST_CHECKS, unreadFacts, workOf } from '#shared/environments/limits/check-limit.ts';
import { MOST_SHOWN, refuseLongAnswer } from '#shared/environments/limits/shown-limit.ts';
import { policyWork } from '#shared/policies/rules/work.ts';
import { aPolicy } from '../../policies/rules/policies.ts';

const content = aPolicy({ attestations: Array.from({ length: 198 }, (_, i) => ({ type: 'generic', name: `a${i}` })) });
const artifact = { name: 'web' };

describe('the checks of an evaluation', () => {
  it('are those of all artifacts in all their flows; without flows an artifact counts once', () => {
    const flows = [unreadFacts(artifact), unreadFacts(artifact)];
    const work = workOf(policyWork([content, content]), [
      { ...artifact, flows: [] },
      { ...artifact, flows },
    ]);
    expect(work).toEqual({ artifacts: 2, places: 3, rules: 400, checks: 1_200 });
  });

  it('are refused above the limit, with the numbers and the remedy', () => {
    const work = { artifacts: 10_000, places: 12_000, rules: 400, checks: MOST_CHECKS };
    checkLimit('artifacts')(work);
    const refused = () => checkLimit('artifacts')({ ...work, checks: MOST_CHECKS + 1 });
    expect(refused).toThrow(ServiceError);
    expect(refused).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        errors: {
          artifacts: `Evaluating 10000 artifacts in 12000 flows by 400 rules takes ${MOST_CHECKS + 1} checks, with their expressions and the attestations that they read. At most ${MOST_CHECKS} checks are possible. Divide the artifacts between several environments, detach policies, or give the policies fewer rules [input: ${MOST_CHECKS + 1}]`,
        },
      }),
    );
  });

  it('are refused for asserts under the parameter that asks for less', () => {
    const flows = { verdicts: [], decisions: [] };
    const some = Array.from({ length: MOST_CHECKS / 200 }, () => ({ content }));
    limitAssert('per_page', 'web', some, flows);
    expect(() => limitAssert('per_page', 'web', [...some, { content }], flows)).toThrow(
      expect.objectContaining({ errors: { 'query.per_page': expect.stringContaining('Ask for fewer environments') } }),
    );
  });
});

it('an answer with too many results of rules is refused before it is made', () => {
  const rule = { type: 'attestation', definition: content.attestations[0] } as never;
  const result = {
    policy_name: 'p',
    policy_version: 1,
    status: 'COMPLIANT',
    rules: [rule, rule],
    outcomes: ['ss'],
  } as const;
  const row = { evaluations: [result] };
  const rows = Array.from({ length: MOST_SHOWN / 2 }, () => row);
  refuseLongAnswer(rows);
  expect(() => refuseLongAnswer([...rows, row])).toThrow(
    expect.objectContaining({
      kind: 'answer-too-large',
      message: expect.stringContaining(`${MOST_SHOWN + 2} results of rules`),
    }),
  );
});
