import { describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '#shared/base/texts/durations.ts';
import { type Micros, micros, minus, plus } from '#shared/base/time.ts';
import type { ControlAnswer } from '#shared/controls/rules/decisions.ts';
import type { AttestationStatus } from '#shared/evidence/rules/verdict.ts';
import { policyJudge } from '#shared/policies/rules/evaluate.ts';
import { policyDump } from '#shared/policies/rules/forms.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { testId } from '#test/support/ids.ts';
import { aContext, anArtifact, anEntry, aPolicy, refusals, SCHEMA_URL } from './policies.ts';

const NOW = micros(1_790_000_000_000_000);

/** Attestations with their ages, and how a policy judges them. */
function judgeAges(
  attestations: readonly (Partial<AttestationStatus> & { age: number })[],
  rule: Record<string, unknown> = {},
  control: ControlAnswer = null,
) {
  const times = new Map<string, Micros>();
  const entries = attestations.map(({ age, ...more }, n) => {
    const id = testId<never>(`attestation-${n}`);
    times.set(id, minus(NOW, age));
    return anEntry({ attestation_id: id, ...more });
  });
  const content = aPolicy({ attestations: [{ type: 'junit', max_age: 'P90D', ...rule }] });
  const contexts = [aContext({ entries, attestedAt: (id) => times.get(id) ?? NOW })];
  const judge = policyJudge({ name: 'strict', version: 3, content }, NOW);
  const { result, freshUntil } = judge(anArtifact({ contexts }), () => control);
  const place = { name: 'web', trailName: 'release-1', status: 'COMPLIANT' } as const;
  const decision = decisionOf(result, [place]);
  const [resolution] = decision.rule_evaluations.at(-1)?.resolutions ?? [];
  return { type: resolution?.type, context: resolution?.context, freshUntil, decision, reasons: reasonsOf([decision]) };
}

describe('max_age', () => {
  test('counts an attestation until its last instant, and not one microsecond longer', () => {
    const last = judgeAges([{ age: 90 * DAY }]);
    expect([last.type, last.freshUntil]).toEqual(['rule_satisfied', NOW]);
    expect(last.context).not.toHaveProperty('attested_at');
    const older = judgeAges([{ age: 90 * DAY + 1 }]);
    expect([older.type, older.freshUntil]).toEqual(['missing_attestation', null]);
    expect(older.context).toMatchObject({ attested_at: minus(NOW, 90 * DAY + 1) / 1e6, age: 90 * 86_400 });
  });

  test('says how old the newest is, and what the policy allows', () => {
    expect(judgeAges([{ age: 300 * DAY }, { age: 120 * DAY + 4 * 60 * MINUTE + 7 * MINUTE }]).reasons).toEqual([
      "Policy 'strict' version 3: an attestation '*' of type 'junit' is missing: the newest is 120 days 4 hours old, and the policy allows 90 days (flow 'web', trail 'release-1')",
    ]);
    expect(judgeAges([]).reasons).toEqual([
      "Policy 'strict' version 3: an attestation '*' of type 'junit' is missing (flow 'web', trail 'release-1')",
    ]);
  });

  test.each<[string, Parameters<typeof judgeAges>[0], Record<string, unknown>, string, number | null]>([
    ['the newest of several compliant ones', [{ age: 80 * DAY }, { age: 10 * DAY }], {}, 'rule_satisfied', 80 * DAY],
    [
      'a young failure beside an old success',
      [{ age: 100 * DAY }, { age: DAY, is_compliant: false }],
      {},
      'non_compliant_attestation',
      null,
    ],
    [
      'a success that is older than a failure, and young enough',
      [{ age: 30 * DAY }, { age: DAY, is_compliant: false }],
      {},
      'rule_satisfied',
      60 * DAY,
    ],
    [
      'the presence of a failure',
      [{ age: 30 * DAY, is_compliant: false }],
      { must_be_compliant: false },
      'rule_satisfied',
      60 * DAY,
    ],
    [
      'an old failure whose presence suffices',
      [{ age: 91 * DAY, is_compliant: false }],
      { must_be_compliant: false },
      'missing_attestation',
      null,
    ],
    ['nothing where the rule does not apply', [{ age: 91 * DAY }], { if: 'false' }, 'rule_not_applicable', null],
  ])('counts %s', (_, attestations, rule, type, left) => {
    const judged = judgeAges(attestations, rule);
    expect(judged.type).toBe(type);
    expect(judged.freshUntil).toBe(left === null ? null : plus(NOW, left));
  });

  test.each<[string, ControlAnswer, string, number | null]>([
    ['a young decision', { compliant: true, at: minus(NOW, DAY) }, 'rule_satisfied', 89 * DAY],
    ['an old decision', { compliant: true, at: minus(NOW, 91 * DAY) }, 'missing_attestation', null],
    ['an old decision against', { compliant: false, at: minus(NOW, 91 * DAY) }, 'missing_attestation', null],
    ['a young decision against', { compliant: false, at: minus(NOW, DAY) }, 'non_compliant_attestation', null],
    ['no decision', null, 'missing_attestation', null],
  ])('a rule with a control looks at %s', (_, answer, type, left) => {
    const judged = judgeAges([], { type: 'decision', for_control: 'SC-7' }, answer);
    expect(judged.type).toBe(type);
    expect(judged.freshUntil).toBe(left === null ? null : plus(NOW, left));
    if (answer && type === 'missing_attestation') {
      expect(judged.reasons.join()).toContain(
        "a decision for control 'SC-7' is missing: the newest is 91 days old, and the policy allows 90 days",
      );
    }
  });

  test('stands in decisions and dumps in its shortest form, and only where the policy has it', () => {
    const definition = judgeAges([], { max_age: 'PT48H' }).decision.rule_evaluations.at(-1)?.rule.definition;
    expect(definition).toMatchObject({ max_age: 'P2D' });
    const dump = policyDump(aPolicy({ attestations: [{ type: 'junit', max_age: 'P1W' }, { type: 'snyk' }] }));
    expect(dump.artifacts.attestations[0]).toMatchObject({ max_age: 'P7D' });
    expect(dump.artifacts.attestations[1]).not.toHaveProperty('max_age');
  });

  test.each([
    ['P3M', 'Months and years have no fixed length. Give days instead [input: P3M]'],
    ['-P1D', 'A duration cannot be negative [input: -P1D]'],
    ['PT0S', 'Should be from PT1M to P3650D [input: PT0S]'],
    ['P3651D', 'Should be from PT1M to P3650D [input: P3651D]'],
    ['90 days', "Should be an ISO 8601 duration in whole numbers, such as 'PT20M', 'PT36H' or 'P90D' [input: 90 days]"],
  ])('%s is refused at its place', (given, sentence) => {
    const rules = [{ type: 'junit' }, { type: 'junit', max_age: given }];
    expect(refusals(JSON.stringify({ _schema: SCHEMA_URL, artifacts: { attestations: rules } }))).toEqual({
      'artifacts.attestations[1].max_age': sentence,
    });
  });
});
