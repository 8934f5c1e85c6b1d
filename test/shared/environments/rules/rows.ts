import fc from 'fast-check';
import type { Fingerprint, FlowId, TrailId } from '#shared/base/ids.ts';
import type { EvaluatedArtifact } from '#shared/environments/rules/compare.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

/** A fingerprint of one repeated digit. */
export const fingerprint = (digit: number | string): Fingerprint => testFingerprint(String(digit).repeat(64));

export const aRow = (more: Partial<EvaluatedArtifact> = {}): EvaluatedArtifact => ({
  name: 'app',
  fingerprint: fingerprint(1),
  started: [100],
  flows: [{ flow: testId('f1'), trail: testId('t1') }],
  decisions: 'd1',
  compliant: true,
  ...more,
});

/** Rows of one snapshot: few names and fingerprints, so that two such sets overlap; each pair once. */
export const rowSets: fc.Arbitrary<EvaluatedArtifact[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', '__proto__', 'x/y'),
    fingerprint: fc.constantFrom('' as const, fingerprint(1), fingerprint(2)),
    started: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }).map((times) => times.sort()),
    flows: fc.uniqueArray(
      fc.record({
        flow: fc.constantFrom('f1', 'f2').map(testId<FlowId>),
        trail: fc.constantFrom('t1', 't2').map(testId<TrailId>),
      }),
      {
        selector: ({ flow, trail }) => `${flow}/${trail}`,
        maxLength: 2,
      },
    ),
    decisions: fc.constantFrom('d1', 'd2'),
    compliant: fc.constantFrom(true, false, null),
  }),
  { selector: ({ name, fingerprint: digest }) => `${digest}/${name}`, maxLength: 8 },
);

/** A set of rows beside the same rows in another order. */
export const shuffled = rowSets.chain((rows) =>
  fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length })),
);
