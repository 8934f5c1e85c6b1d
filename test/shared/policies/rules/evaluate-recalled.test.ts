import { describe, expect, test } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { EPOCH } from '#shared/base/time.ts';
import type { RecalledEntry } from '#shared/evidence/rules/status-entries.ts';
import { policyJudge } from '#shared/policies/rules/evaluate.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { decisionOf, outcomeText } from '#shared/policies/rules/results.ts';
import { testId } from '#test/support/ids.ts';
import { aContext, anArtifact, anEntry, aPolicy, evaluationOf, judge } from './policies.ts';

const recalled = (attestation_name: string, ...names: string[]): RecalledEntry => ({
  attestation_name,
  attestation_type: 'junit',
  attestation_id: testId<AttestationId>(attestation_name),
  recalls: names.map((name) => ({ name, version: 1, since: 1 })),
});

const judged = (
  rule: Record<string, unknown>,
  lost: readonly RecalledEntry[],
  entries: ReturnType<typeof anEntry>[] = [],
) =>
  judge(
    aPolicy({ attestations: [{ type: 'junit', ...rule }] }),
    anArtifact({ contexts: [aContext({ entries, recalled: lost })] }),
  );

/** The reason without the place that every reason names. */
const reasonFor = (...given: Parameters<typeof judged>) =>
  reasonsOf([judged(...given)])
    .join()
    .replace("Policy 'strict' version 3: an attestation ", '')
    .replace(" (flow 'web', trail 'release-1')", '');

describe('a rule whose evidence was recalled', () => {
  test.each<[string, Parameters<typeof judged>, string]>([
    [
      'the recall',
      [{ name: 'unit' }, [recalled('unit', 'leak')]],
      "'unit' of type 'junit' is missing: the newest was recalled by 'leak'",
    ],
    [
      'each recall once',
      [{}, [recalled('a', 'leak', 'key'), recalled('b', 'leak')]],
      "'*' of type 'junit' is missing: the newest was recalled by 'leak' and 'key'",
    ],
    [
      'nothing of evidence of another name',
      [{ name: 'unit' }, [recalled('other', 'leak')]],
      "'unit' of type 'junit' is missing",
    ],
    [
      'nothing of evidence of another type',
      [{ type: 'snyk' }, [recalled('unit', 'leak')]],
      "'*' of type 'snyk' is missing",
    ],
    [
      'the recall behind what was found instead',
      [{ signed_by: 'release' }, [recalled('unit', 'leak')], [anEntry()]],
      "'*' of type 'junit' is missing: signed_by needs 'release', found grade stated; another was recalled by 'leak'",
    ],
    [
      'the recall behind evidence that is not compliant',
      [{}, [recalled('unit', 'leak')], [anEntry({ is_compliant: false })]],
      "'*' of type 'junit' is not compliant; another was recalled by 'leak'",
    ],
  ])('names %s', (_, given, sentence) => {
    expect(reasonFor(...given)).toBe(sentence);
  });

  test('names no recall once something else satisfies it', () => {
    const { satisfied, resolutions } = evaluationOf(judged({}, [recalled('unit', 'leak')], [anEntry()]), 'attestation');
    expect([satisfied, resolutions[0]?.context]).toEqual([
      true,
      expect.not.objectContaining({ recalled_by: ['leak'] }),
    ]);
  });

  test('names at most five recalls, because each artifact stores them', () => {
    const names = Array.from({ length: 7 }, (_, n) => `leak-${n}`);
    const [resolution] = evaluationOf(judged({}, [recalled('unit', ...names)]), 'attestation').resolutions;
    expect(resolution?.context.recalled_by).toEqual(names.slice(0, 5));
  });

  test('has them behind the letters of the outcomes, which earlier releases read', () => {
    const text = outcomeText([
      { type: 'missing_attestation', found: { grade: 'stated' }, recalled: ['leak', 'old-key'] },
      { type: 'rule_satisfied' },
      { type: 'missing_attestation', recalled: ['leak'] },
    ]);
    expect(text).toBe('msm 0~stated 0!leak!old-key 2!leak');
  });
});

describe('a rule for a control whose latest decision was recalled', () => {
  test('names the recall, also if the control asks for more', () => {
    const content = aPolicy({ attestations: [{ type: 'decision', for_control: 'C-1' }] });
    const { result } = policyJudge({ name: 'strict', version: 3, content }, EPOCH)(anArtifact(), () => ({
      ...{ compliant: true, at: EPOCH },
      ...{ refused: { grade: 'signed' as const, signer: 'ci' }, recalledBy: ['leak'] },
    }));
    const decision = decisionOf(result, [{ name: 'web', trailName: 'release-1', status: 'COMPLIANT' }]);
    expect(reasonsOf([decision])).toEqual([
      "Policy 'strict' version 3: a decision for control 'C-1' is missing: the newest was recalled by 'leak' (flow 'web', trail 'release-1')",
    ]);
  });
});
