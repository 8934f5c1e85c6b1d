import { describe, expect, it } from 'vitest';
import { attestationListSentence, BUILT_IN_TYPES, isScanned } from '#console/evidence/model/attestation-list.ts';
import { artifactListSentence } from '#console/release/model/artifact-list.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';

describe('lists of evidence', () => {
  it('count what is not compliant', () => {
    const shown = [{ is_compliant: true }, { is_compliant: false }];
    expect(attestationListSentence(shown, 205, false)).toBe(
      '205 attestations. Of the 2 on this page 1 is not compliant.',
    );
    expect(attestationListSentence(shown, null, true)).toContain('on this page fit the filter');
    expect(attestationListSentence([], 0, true)).toBe('No attestation fits the filter.');
  });

  it('can be filtered by every type that the service has', () => {
    const types = SLOT_TYPES.filter((type) => type !== '*');
    expect([...BUILT_IN_TYPES].sort()).toEqual([...types, 'override'].sort());
  });

  it('have cursors with the filters with which the API answers cursors', () => {
    expect(isScanned({ name: undefined, result: 'compliant' })).toBe(true);
    expect(isScanned({})).toBe(false);
  });

  it('say how many artifacts run', () => {
    const artifacts = [
      { state: 'COMPLIANT' as const, running: [{ environment_name: 'prod', snapshot_index: 1 }] },
      { state: 'INCOMPLETE' as const, running: [] },
    ];
    expect(artifactListSentence(artifacts, { isFiltered: false, page: 1 })).toBe(
      'The newest 2 reports of artifacts: 1 incomplete, 1 compliant; 1 of them runs now.',
    );
    expect(artifactListSentence([], { isFiltered: false, page: 3 })).toBe('There are no older artifacts.');
  });
});
