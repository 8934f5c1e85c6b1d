import { expect, it } from 'vitest';
import { findingsOf } from '#console/trail/attestation/model/attestation.ts';

it('findings are the fields that only the type has, without empty ones', () => {
  const attestation = {
    attestation_id: 'x',
    user_data: {},
    junit_results: [{ tests: 3 }],
    severity: 'high',
    empty: [],
  };
  expect(findingsOf(attestation as never).map(({ label, text }) => [label, text])).toEqual([
    ['junit results', null],
    ['severity', 'high'],
  ]);
});

it('findings of a bundle that decides about a control name the control', () => {
  const attestation = { attestation_type: 'vsa', control: 'RCTL-1', control_version: 2 };
  expect(findingsOf(attestation as never).map(({ label, text }) => [label, text])).toEqual([
    ['control', 'RCTL-1'],
    ['control version', '2'],
  ]);
});
