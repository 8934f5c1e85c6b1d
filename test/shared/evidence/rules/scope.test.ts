import { describe, expect, test } from 'vitest';
import { isAttestable, momentKindOf, NEEDS_COMMIT, scopesOf, targetLabel } from '#shared/evidence/rules/scope.ts';
import { aTrail, COMMIT_C, COMMIT_D, FP_1, FP_2, onFingerprint, onNamed, onTrail, reported } from './trails.ts';

const commit = { sha1: COMMIT_C };

describe('the scope of a report', () => {
  test('is the trail without fingerprint and targets; null and empty lists count as absent', () => {
    const trail = { outcome: 'scopes', scopes: [onTrail] };
    expect(scopesOf({})).toEqual(trail);
    expect(scopesOf({ artifact_fingerprint: null, target_artifacts: null, git_commit_info: commit })).toEqual(trail);
    expect(scopesOf({ target_artifacts: [] })).toEqual(trail);
  });

  test('is the fingerprint if one is given, with or without targets', () => {
    const bound = { outcome: 'scopes', scopes: [onFingerprint(FP_1)] };
    expect(scopesOf({ artifact_fingerprint: FP_1 })).toEqual(bound);
    expect(scopesOf({ artifact_fingerprint: FP_1, target_artifacts: ['cli'], git_commit_info: commit })).toEqual(bound);
  });

  test('is each named artifact once, with the commit', () => {
    expect(scopesOf({ target_artifacts: ['cli', 'web', 'cli'], git_commit_info: commit })).toEqual({
      outcome: 'scopes',
      scopes: [onNamed('cli'), onNamed('web')],
    });
  });

  test('the scope of a report of a named artifact needs a commit', () => {
    expect(scopesOf({ target_artifacts: ['cli'], git_commit_info: null })).toEqual({
      outcome: 'needs_commit',
      field: 'target_artifacts',
      text: NEEDS_COMMIT,
    });
    expect(NEEDS_COMMIT).toContain('requires at least one of: artifact_fingerprint or git_commit_info.');
  });

  test('accepts only fingerprints of this trail, except for decisions on fingerprints that the organization knows', () => {
    const state = aTrail(reported('cli'));
    expect(isAttestable(onFingerprint(FP_1), state)).toBe(true);
    expect(isAttestable(onFingerprint(FP_2), state)).toBe(false);
    expect(isAttestable(onFingerprint(FP_2), state, true)).toBe(true);
    expect(isAttestable(onNamed('unknown'), state)).toBe(true);
    expect(isAttestable(onTrail, state)).toBe(true);
  });

  test('decides the kind of moment', () => {
    expect([onTrail, onNamed('cli'), onFingerprint(FP_1)].map(momentKindOf)).toEqual([
      'trail_attestation_reported',
      'trail_attestation_for_artifact_reported',
      'artifact_attestation_reported',
    ]);
  });

  test('has its own targets as label, else the latest name of the fingerprint', () => {
    const state = aTrail(reported('old'), reported('new', { commit: COMMIT_D }));
    expect(targetLabel({ artifact_fingerprint: FP_1, target_artifacts: ['mine'] }, state)).toBe('mine');
    expect(targetLabel({ artifact_fingerprint: FP_1 }, state)).toBe('new');
    expect(targetLabel({ artifact_fingerprint: FP_2 }, state)).toBeNull();
    expect(targetLabel({ target_artifacts: ['a', 'b'] }, state)).toBe('a,b');
    expect(targetLabel({}, state)).toBeNull();
  });
});
