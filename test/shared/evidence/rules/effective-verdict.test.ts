import { describe, expect, test } from 'vitest';
import { applyMoment } from '#shared/evidence/rules/trail-state.ts';
import { trailWord } from '#shared/evidence/rules/verdict.ts';
import { testFingerprint } from '#test/support/ids.ts';
import {
  aTrail,
  attested,
  EMPTY,
  effectiveVerdict,
  expected,
  FP_1,
  FP_2,
  moment,
  onFingerprint,
  onTrail,
  reported,
  slot,
  templateOf,
} from './trails.ts';

describe('the effective verdict', () => {
  test('needs the attestations of the trail as well as its own', () => {
    const state = aTrail(reported('cli'), attested(onFingerprint(FP_1), 'foo'));
    expect(effectiveVerdict(state, expected, FP_1)).toMatchObject({
      status: 'INCOMPLETE',
      is_compliant: false,
      entry: { status: 'COMPLIANT' },
      trail: [{ attestation_name: 'bar', status: 'MISSING' }],
    });
    const done = applyMoment(state, moment(4, [attested(onTrail, 'bar')], 'aa'));
    expect(effectiveVerdict(done, expected, FP_1)).toMatchObject({ status: 'COMPLIANT', is_compliant: true });
  });

  test('ignores other artifacts of the trail and decisions on artifacts that the trail never had', () => {
    const state = aTrail(
      reported('cli'),
      reported('other', { fingerprint: FP_2, compliant: false }),
      attested(onFingerprint(testFingerprint('3'.repeat(64))), 'go', { type: 'decision', compliant: false }),
    );
    expect(trailWord(state, EMPTY)).toBe('NON-COMPLIANT');
    expect(effectiveVerdict(state, EMPTY, FP_1)?.status).toBe('COMPLIANT');
  });

  test('requires the slots of every name under which the fingerprint was reported', () => {
    const template = templateOf([], { cli: [slot('foo')], server: [slot('load')] });
    const state = aTrail(reported('server'), reported('cli'), attested(onFingerprint(FP_1), 'foo'));
    expect(effectiveVerdict(state, template, FP_1)).toMatchObject({
      status: 'INCOMPLETE',
      entry: { artifact_id: 'id-of-cli' },
    });
  });
});
