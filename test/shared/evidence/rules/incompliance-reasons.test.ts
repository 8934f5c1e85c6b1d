import { describe, expect, test } from 'vitest';
import { reasonsAgainst } from '#shared/evidence/rules/incompliance-reasons.ts';
import type { AttestationStatus } from '#shared/evidence/rules/verdict.ts';

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

  test('name the report itself if it is non-compliant and no attestation failed', () => {
    expect(reasonsAgainst('NON-COMPLIANT', [entry('scan', null)])).toEqual([
      "Attestation 'scan' of type 'generic' is missing",
      'The artifact was reported as non-compliant',
    ]);
    expect(reasonsAgainst('INCOMPLETE', [entry('scan', null)])).toHaveLength(1);
  });
});
