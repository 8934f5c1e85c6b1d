import { describe, expect, test } from 'vitest';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import {
  type AnswerWord,
  aContext,
  anArtifact,
  anEntry,
  aPolicy,
  evaluationOf,
  judge,
  resolutionTypes,
} from './policies.ts';

const UNKNOWN = anArtifact({ contexts: [] });
const release = { name: 'release', tags: { kind: 'release' } };

describe('a rule for a control', () => {
  const content = aPolicy({ attestations: [{ type: 'decision', name: 'sign-off', for_control: 'C-1' }] });

  test.each<[AnswerWord, string, string]>([
    ['satisfied', 'rule_satisfied', 'COMPLIANT'],
    ['non_compliant', 'non_compliant_attestation', 'NON-COMPLIANT'],
    ['missing', 'missing_attestation', 'NON-COMPLIANT'],
  ])('a rule for a control with the answer %s resolves to %s in every context', (answer, type, status) => {
    const contexts = [aContext(), aContext({ flow: release, entries: [anEntry({ attestation_type: 'decision' })] })];
    const decision = judge(content, anArtifact({ contexts }), () => answer);
    expect(resolutionTypes(decision, 'attestation')).toEqual([type, type]);
    expect(decision.status).toBe(status);
  });

  test('needs no flow', () => {
    const decision = judge(content, UNKNOWN, () => 'satisfied');
    expect(decision.status).toBe('COMPLIANT');
    expect(evaluationOf(decision, 'attestation').resolutions).toEqual([
      {
        type: 'rule_satisfied',
        context: { flow_name: null, trail_name: null, artifact_status: null, for_control: 'C-1' },
      },
    ]);
  });

  test('is satisfied by a failing decision if presence is enough', () => {
    const lenient = aPolicy({ attestations: [{ type: 'decision', for_control: 'C-1', must_be_compliant: false }] });
    expect(judge(lenient, anArtifact(), () => 'non_compliant').status).toBe('COMPLIANT');
    expect(judge(lenient, anArtifact(), () => 'missing').status).toBe('NON-COMPLIANT');
  });

  test('asks for its own control and name, and only where it applies', () => {
    const asked: unknown[] = [];
    const two = aPolicy({
      attestations: [
        { type: 'decision', name: 'sign-off', for_control: 'C-1' },
        { type: 'decision', for_control: 'C-2', if: 'false' },
        { type: 'decision', for_control: 'C-3' },
      ],
    });
    judge(two, anArtifact(), (question) => {
      asked.push(question);
      return 'missing';
    });
    expect(asked).toEqual([
      { control: 'C-1', name: 'sign-off' },
      { control: 'C-3', name: '*' },
    ]);
  });

  test('has its question listed once before the evaluation', () => {
    const rule = { type: 'decision', for_control: 'C-1' };
    const policy = aPolicy({
      attestations: [rule, { type: 'junit' }, { ...rule, name: 'a' }, rule, { type: 'decision' }],
    });
    expect(controlQuestions(policy)).toEqual([
      { control: 'C-1', name: '*' },
      { control: 'C-1', name: 'a' },
    ]);
  });
});
