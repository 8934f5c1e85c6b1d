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
