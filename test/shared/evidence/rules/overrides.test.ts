import { describe, expect, test } from 'vitest';
import { findOverridden } from '#shared/evidence/rules/overrides.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { testId } from '#test/support/ids.ts';
import {
  aTrail,
  attested,
  COMMIT_D,
  EMPTY,
  FP_1,
  FP_2,
  onFingerprint,
  onNamed,
  onTrail,
  reported,
  slot,
  templateOf,
} from './trails.ts';

describe('an override', () => {
  test('replaces the latest attestation of its scope, name and type', () => {
    const state = aTrail(
      attested(onTrail, 'scan', { id: testId('old') }),
      attested(onTrail, 'scan', { id: testId('new') }),
      attested(onTrail, 'scan', { id: testId('other-type'), type: 'junit' }),
      attested(onTrail, 'other', { id: testId('other-name') }),
    );
    expect(findOverridden(state, EMPTY, onTrail, 'scan', 'generic')).toMatchObject({
      type: 'generic',
      original: { id: 'new' },
    });
  });

  test('an override by fingerprint finds an attestation that is bound by name and commit', () => {
    const state = aTrail(reported('cli'), attested(onNamed('cli'), 'scan', { id: testId('named') }));
    expect(findOverridden(state, EMPTY, onFingerprint(FP_1), 'scan', 'generic').original?.id).toBe('named');
  });

  test('an override by name finds attestations that are bound by fingerprint to an artifact of that name and commit, and no others', () => {
    const state = aTrail(
      reported('cli'),
      reported('cli', { fingerprint: FP_2, commit: COMMIT_D }),
      attested(onFingerprint(FP_1), 'scan', { id: testId('mine') }),
      attested(onFingerprint(FP_2), 'scan', { id: testId('of-another-commit') }),
    );
    expect(findOverridden(state, EMPTY, onNamed('cli'), 'scan', 'generic').original?.id).toBe('mine');
  });

  test('an override of the trail does not find attestations that are bound to artifacts', () => {
    const state = aTrail(reported('cli'), attested(onFingerprint(FP_1), 'scan'));
    expect(findOverridden(state, EMPTY, onTrail, 'scan', 'generic')).toEqual({ type: 'generic', original: null });
  });

  test('finds a decision on an artifact that the trail never had', () => {
    const state = aTrail(attested(onFingerprint(FP_2), 'go', { type: 'decision', id: testId('decided') }));
    expect(findOverridden(state, EMPTY, onFingerprint(FP_2), 'go', 'decision').original?.id).toBe('decided');
    expect(findOverridden(state, EMPTY, onFingerprint(FP_1), 'go', 'decision').original).toBeNull();
  });

  test('an override of plain custom takes the type of the newest custom report', () => {
    const state = aTrail(
      attested(onTrail, 'cov', { type: 'custom:a', id: testId('a') }),
      attested(onTrail, 'cov', { type: 'custom:b', id: testId('b') }),
      attested(onTrail, 'cov', { type: 'junit' }),
    );
    expect(findOverridden(state, EMPTY, onTrail, 'cov', 'custom')).toMatchObject({
      type: 'custom:b',
      original: { id: 'b' },
    });
    expect(findOverridden(state, EMPTY, onTrail, 'cov', 'custom:a').original?.id).toBe('a');
  });

  test('an override of plain custom without a report takes the type of the template, else stays custom', () => {
    const template = templateOf([slot('cov', 'custom:coverage')], { cli: [slot('lint', 'custom:linter')] });
    const state = aTrail(reported('cli'));
    expect(findOverridden(state, template, onTrail, 'cov', 'custom').type).toBe('custom:coverage');
    expect(findOverridden(state, template, onFingerprint(FP_1), 'lint', 'custom').type).toBe('custom:linter');
    expect(findOverridden(state, template, onNamed('cli'), 'lint', 'custom').type).toBe('custom:linter');
    expect(findOverridden(state, template, onTrail, 'lint', 'custom').type).toBe('custom');
  });

  test('that found nothing fills the slot of its original type', () => {
    const { type } = findOverridden(aTrail(), EMPTY, onTrail, 'scan', 'snyk');
    const state = aTrail(attested(onTrail, 'scan', { type, compliant: true, overridden: null }));
    expect(judgeTrail(state, templateOf([slot('scan', 'snyk')]))).toMatchObject({
      status: 'COMPLIANT',
      attestations_statuses: [{ overridden_attestation_id: null, unexpected: false }],
    });
  });

  test('is replaced by a later ordinary report', () => {
    const state = aTrail(
      attested(onTrail, 'scan', { compliant: false, id: testId('original') }),
      attested(onTrail, 'scan', { compliant: true, id: testId('override'), overridden: testId('original') }),
      attested(onTrail, 'scan', { compliant: false, id: testId('later') }),
    );
    expect(judgeTrail(state, EMPTY)).toMatchObject({
      status: 'NON-COMPLIANT',
      attestations_statuses: [{ attestation_id: 'later', overridden_attestation_id: null }],
    });
  });
});
