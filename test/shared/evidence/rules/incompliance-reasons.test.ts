import { describe, expect, test } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { readReason, reasonsAgainst } from '#shared/evidence/rules/incompliance-reasons.ts';
import type { AttestationStatus } from '#shared/evidence/rules/verdict.ts';
import { testId } from '#test/support/ids.ts';

const entry = (attestation_name: string, is_compliant: boolean | null): AttestationStatus => ({
  attestation_name,
  attestation_type: 'generic',
  attestation_id: null,
  overridden_attestation_id: null,
  status: is_compliant === null ? 'MISSING' : 'COMPLETE',
  is_compliant,
  unexpected: false,
});

describe('the reasons against an artifact', () => {
  test('are empty if the artifact is compliant', () => {
    expect(reasonsAgainst('COMPLIANT', [entry('scan', true)])).toEqual([]);
  });

  test('name missing and failed attestations, in order and once', () => {
    const entries = [entry('scan', null), entry('review', false), entry('lint', true), entry('scan', null)];
    expect(reasonsAgainst('NON-COMPLIANT', entries)).toEqual([
      "Attestation 'scan' of type 'generic' is missing",
      "Attestation 'review' of type 'generic' is non-compliant",
    ]);
  });

  test('name the recalls of newer evidence, and can be read again', () => {
    const recalls = ['leak', 'old-key'].map((name) => ({ name, version: 1, since: 1 }));
    const recalled = {
      ...{ attestation_name: 'scan', attestation_type: 'generic', attestation_id: testId<AttestationId>('a'), recalls },
    };
    const texts = reasonsAgainst('NON-COMPLIANT', [
      { ...entry('scan', null), recalled },
      { ...entry('review', false), recalled },
      entry('lint', null),
    ]);
    expect(texts).toEqual([
      "Attestation 'scan' of type 'generic' is missing: the newest was recalled by 'leak', 'old-key'",
      "Attestation 'review' of type 'generic' is non-compliant: the newest was recalled by 'leak', 'old-key'",
      "Attestation 'lint' of type 'generic' is missing",
    ]);
    const names = ['leak', 'old-key'];
    expect(texts.map(readReason)).toEqual([
      { name: 'scan', type: 'generic', isMissing: true, recalls: names },
      { name: 'review', type: 'generic', isMissing: false, recalls: names },
      { name: 'lint', type: 'generic', isMissing: true, recalls: [] },
    ]);
    // Snapshots of earlier releases have a sentence of its own.
    expect(readReason("Attestation 'scan' of type 'generic' was recalled by 'leak'")).toBeNull();
  });

  test('name the report itself if it is non-compliant and no attestation failed', () => {
    expect(reasonsAgainst('NON-COMPLIANT', [entry('scan', null)])).toEqual([
      "Attestation 'scan' of type 'generic' is missing",
      'The artifact was reported as non-compliant',
    ]);
    expect(reasonsAgainst('INCOMPLETE', [entry('scan', null)])).toHaveLength(1);
  });
});
