import { describe, expect, it } from 'vitest';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { Run } from '#shared/environments/rules/changes/runs.ts';
import { affectedEnvironments, knownSince, stoppedAt } from '#shared/watches/rules/case.ts';
import { testFingerprint, testId } from '#test/support/ids.ts';

// rules/watches.md#case

const run = (from: number | null, to: number | null): Run => ({
  from: from === null ? null : micros(from),
  fromSnapshot: from,
  to: to === null ? null : micros(to),
  toSnapshot: to,
  compliant: null,
});
const ran = (environment: string, fingerprint: string, ...runs: Run[]) => ({
  environment: { id: testId<EnvironmentId>(environment), name: environment },
  fingerprint: testFingerprint(fingerprint),
  runs,
});

describe('affectedEnvironments', () => {
  it('begins with the first start and ends with the last stop of all artifacts', () => {
    const found = affectedEnvironments([
      ran('prod', 'a', run(5, 7), run(9, 12)),
      ran('stage', 'a', run(3, null)),
      ran('prod', 'b', run(4, 8)),
    ]);
    expect(found).toMatchObject([
      { name: 'stage', artifacts: 1, since: 3, until: null, untilSnapshot: null },
      { name: 'prod', artifacts: 2, since: 4, sinceSnapshot: 4, until: 12, untilSnapshot: 12 },
    ]);
    expect(stoppedAt(found)).toBeNull();
    expect(stoppedAt(found.slice(1))).toBe(12);
    expect(stoppedAt([])).toBeNull();
  });

  it('has no beginning if an artifact ran before the known history', () => {
    expect(affectedEnvironments([ran('prod', 'a', run(null, 7)), ran('prod', 'b', run(2, 3))])).toMatchObject([
      { since: null, until: 7 },
    ]);
  });
});

it('what a person said counts before the first match, earlier or later', () => {
  const known = { at: micros(50), note: null, by: 'ada', saidAt: micros(60) };
  const day = 24 * 3_600_000_000;
  expect(knownSince({ known }, micros(10))).toEqual({ at: 50, by: 'person', due: 50 + day });
  expect(knownSince({ known: null }, micros(10))).toEqual({ at: 10, by: 'match', due: 10 + day });
  expect(knownSince({ known: null }, null)).toBeNull();
});
