import { describe, expect, it } from 'vitest';
import { stateOfReport } from '#console/model/states.ts';
import { findingsOf } from '#console/trail/attestation/model/attestation.ts';
import { decisionOf, decisionSentence, isRecordedBy, ownUserData } from '#console/trail/attestation/model/decision.ts';
import { type Override, overrideOf, overridesSentence, overrideText } from '#console/trail/model/override.ts';
import type { Attestation } from '#console/trail/operations.ts';

const override = (rest: Partial<Override> = {}): Override => ({
  attestation_name: 'scan',
  is_compliant: true,
  original_is_compliant: false,
  created_by: 'bob',
  created_at: Date.UTC(2026, 10, 3, 9) / 1000,
  reason: 'False positive',
  ...rest,
});

// The fields that the tests look at; the others are those of every attestation.
const attestation = (rest: Record<string, unknown>) => rest as unknown as Attestation;

describe('an override', () => {
  it('is no ordinary success, and no success if it says that something is not compliant', () => {
    expect([stateOfReport('override', true), stateOfReport('override', false), stateOfReport('generic', true)]).toEqual(
      ['overridden', 'non-compliant', 'compliant'],
    );
  });

  it('says who overrode what, when and why', () => {
    expect(overrideText(override(), 'utc')).toBe(
      'compliant because bob overrode a failed scan on 3 Nov 2026 UTC: False positive',
    );
    expect(overrideText(override({ is_compliant: false, original_is_compliant: true, reason: null }), 'utc')).toBe(
      'not compliant because bob overrode a passed scan on 3 Nov 2026 UTC: the reason was erased',
    );
    expect(overrideText(override({ original_is_compliant: null }), 'utc')).toContain('scan, which had no result, on');
  });

  it('stands in the sentence about the artifact, the newest one first', () => {
    const older = override({ attestation_name: 'review', created_at: 0 });
    expect(overridesSentence([], 'utc')).toBe('');
    expect(overridesSentence([older, override({ reason: 'Checked by hand.' })], 'utc')).toBe(
      'scan counts as compliant because bob overrode a failed scan on 3 Nov 2026 UTC: Checked by hand. There is 1 other override.',
    );
  });

  it('is found among attestations', () => {
    const fields = { ...override(), attestation_type: 'override' };
    expect(overrideOf(attestation(fields))).toMatchObject(override());
    expect(overrideOf(attestation({ ...fields, attestation_type: 'generic' }))).toBeNull();
  });
});

describe('a decision', () => {
  const id = '01a20992-752b-3d05-b5e5-b495081f';
  const decision = { attestation_type: 'decision', control: 'RCTL-1', user_data: { evaluation_id: id } };

  it('names its control and its evaluation', () => {
    expect(decisionOf(attestation(decision))).toEqual({ control: 'RCTL-1', evaluation: id });
    expect(decisionOf(attestation({ ...decision, user_data: { evaluation_id: '../x' } }))?.evaluation).toBeNull();
    expect(decisionOf(attestation({ ...decision, user_data: null }))?.evaluation).toBeNull();
    expect(decisionOf(attestation({ attestation_type: 'generic' }))).toBeNull();
  });

  it('does not repeat as JSON what its sentence says', () => {
    const reported = attestation({ ...decision, user_data: { evaluation_id: id, violations: [], ticket: 'A-1' } });
    expect(ownUserData(reported, decisionOf(reported))).toEqual({ ticket: 'A-1' });
    expect(ownUserData(attestation({ user_data: { violations: [] } }), null)).toEqual({ violations: [] });
    expect(findingsOf(attestation({ attestation_data: { is_compliant: false } }))).toEqual([]);
  });

  it('belongs to an evaluation only if the evaluation says so, too', () => {
    expect(isRecordedBy({ decision_attestation_id: 'a' }, { attestation_id: 'a' })).toBe(true);
    expect(isRecordedBy({ decision_attestation_id: null }, { attestation_id: 'a' })).toBe(false);
  });

  it('names the violation, and the rule and line that decided', () => {
    const stopped = { line: 7, source: 'count(violations) == 0', values: [] };
    const rule = { rule: 'data.policy.allow', is_default: false, file: 'policy.rego', line: 5, solutions: 0, stopped };
    const evaluation = {
      status: 'completed',
      error: null,
      result: { allow: false, violations: ['review is missing'] },
      explanation: { rules: [rule], identical: true },
    } as unknown as Parameters<typeof decisionSentence>[0];
    expect(decisionSentence(evaluation)).toBe(
      'Denied: review is missing. The rule allow does not hold. Line 7 of policy.rego stopped it: «count(violations) == 0».',
    );
  });
});
