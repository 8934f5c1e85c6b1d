import { expect, test } from 'vitest';
import { EPOCH } from '#shared/base/time.ts';
import { policyJudge } from '#shared/policies/rules/evaluate.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { aContext, anArtifact, aPolicy } from './policies.ts';

const judge = policyJudge({ name: 'p', version: 2, content: aPolicy({ attestations: [{ type: 'junit' }] }) }, EPOCH);
const judgeArtifact = (...given: Parameters<typeof judge>) => judge(...given).result;
const missing = () => null;

test('equal outcomes of different artifacts are one result', () => {
  const one = judgeArtifact(anArtifact(), missing);
  const other = judgeArtifact(anArtifact({ name: 'api', contexts: [aContext({ trail: 'another' })] }), missing);
  expect(other).toBe(one);
  expect(one).toMatchObject({ policy_name: 'p', policy_version: 2, status: 'NON-COMPLIANT', outcomes: ['--m'] });
});

test('a result stands for no decision with other flows, or with other letters', () => {
  const result = judgeArtifact(anArtifact(), missing);
  const place = { name: 'web', trailName: 't', status: 'COMPLIANT' } as const;
  expect(() => decisionOf(result, [place, place])).toThrow('A result of policy p has 1 contexts for 2 flows');
  expect(() => decisionOf({ ...result, outcomes: ['-'] }, [place])).toThrow('has no outcome for rule 1');
  expect(() => decisionOf({ ...result, outcomes: ['-x-'] }, [place])).toThrow('has no outcome for rule 1');
});
