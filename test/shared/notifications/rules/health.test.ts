import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import {
  actionHealth,
  admit,
  freshHealth,
  healthAfter,
  healthAfterSave,
  isOpen,
  PROBE_EVERY,
  PROBE_LEASE,
} from '#shared/notifications/rules/health.ts';
import { type Attempt, CIRCUIT_FAILURES, type TargetHealth } from '#shared/notifications/rules/records.ts';

type AttemptResult = Pick<Attempt, 'at' | 'outcome'>;

const fold = (attempts: readonly AttemptResult[]): TargetHealth => attempts.reduce(healthAfter, freshHealth('t'));
const failures = (count: number, from = 1): AttemptResult[] =>
  Array.from({ length: count }, (_, n) => ({ at: micros(from + n), outcome: 'failed' }));

/** Attempts at distinct times, with a shuffled delivery of them in which some come twice. */
const deliveries = fc
  .uniqueArray(
    fc.record({
      at: fc.integer({ min: 1, max: 40 }).map(micros),
      outcome: fc.constantFrom('delivered', 'failed', 'refused', 'gone'),
    }),
    {
      selector: ({ at }) => at,
      minLength: 1,
      maxLength: 20,
    },
  )
  .chain((attempts) =>
    fc
      .subarray(attempts)
      .chain((doubled) =>
        fc
          .shuffledSubarray([...attempts, ...doubled], { minLength: attempts.length + doubled.length })
          .map((arrived) => ({ attempts: attempts as AttemptResult[], arrived: arrived as AttemptResult[] })),
      ),
  );

describe('the health of a target', () => {
  test('depends neither on the order of arrival nor on repetitions', () => {
    fc.assert(
      fc.property(deliveries, ({ attempts, arrived }) => {
        const inOrder = [...attempts].sort((a, b) => a.at - b.at);
        expect(fold(arrived)).toEqual(fold(inOrder));
      }),
      { numRuns: 500 },
    );
  });

  test('is decided by the latest attempts', () => {
    fc.assert(
      fc.property(deliveries, ({ attempts, arrived }) => {
        const times = (wanted: (attempt: AttemptResult) => boolean) => attempts.filter(wanted).map(({ at }) => at);
        const lastSuccess = Math.max(0, ...times(({ outcome }) => outcome === 'delivered'));
        const lastFailure = Math.max(0, ...times(({ outcome }) => outcome !== 'delivered'));
        const since = times(({ at, outcome }) => outcome !== 'delivered' && at > lastSuccess).length;
        expect(fold(arrived)).toMatchObject({
          lastSuccess,
          lastFailure,
          failures: Math.min(since, CIRCUIT_FAILURES),
          disabled: attempts.some(({ outcome }) => outcome === 'gone'),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('stays small however often the target fails', () => {
    expect(fold(failures(1000)).recent).toEqual([996, 997, 998, 999, 1000]);
  });
});

describe('the circuit of a target', () => {
  test('lets all attempts through until the failure that opens it', () => {
    expect(admit(undefined, micros(10))).toEqual({ kind: 'go' });
    expect(admit(fold(failures(CIRCUIT_FAILURES - 1)), micros(10))).toEqual({ kind: 'go' });
    expect(isOpen(fold(failures(CIRCUIT_FAILURES)))).toBe(true);
  });

  test('lets one probe at a time through while it is open', () => {
    const open = fold(failures(CIRCUIT_FAILURES));
    const due = micros(CIRCUIT_FAILURES + PROBE_EVERY);
    expect(admit(open, micros(due - 1))).toEqual({ kind: 'wait', until: due });
    const probe = admit(open, due);
    if (probe.kind !== 'probe') throw new Error('no probe was admitted');
    expect(admit(probe.health, micros(due + 1))).toEqual({ kind: 'wait', until: due + PROBE_LEASE });
    const failed = healthAfter(probe.health, { at: due, outcome: 'failed' });
    expect(admit(failed, micros(due + PROBE_LEASE))).toEqual({ kind: 'wait', until: due + PROBE_EVERY });
  });

  test('closes with the first success', () => {
    const closed = healthAfter(fold(failures(9)), { at: micros(10), outcome: 'delivered' });
    expect(closed).toMatchObject({ failures: 0, probeAt: 0 });
    expect(admit(closed, micros(11))).toEqual({ kind: 'go' });
  });

  test('is closed by a save, which enables a target that was gone and keeps its times', () => {
    const gone = healthAfter(fold(failures(6)), { at: micros(9), outcome: 'gone' });
    expect(admit(gone, micros(10))).toEqual({ kind: 'disabled' });
    const saved = healthAfterSave(gone);
    expect(admit(saved, micros(10))).toEqual({ kind: 'go' });
    expect(saved.lastFailure).toBe(9);
  });
});

describe('the health of an action', () => {
  test('is zero and not failing before any attempt', () => {
    const never = { is_failing: false, last_success_timestamp: 0, last_failure_timestamp: 0 };
    expect(actionHealth([])).toEqual(never);
    expect(actionHealth([freshHealth('a')])).toEqual(never);
  });

  test('fails while one target does, and shows the latest times of all', () => {
    const well = { lastSuccess: micros(5_500_000), lastFailure: micros(4_000_000) };
    const ill = { lastSuccess: micros(1_000_000), lastFailure: micros(3_000_000) };
    const expected = { last_success_timestamp: 5.5, last_failure_timestamp: 4 };
    expect(actionHealth([well, ill])).toEqual({ is_failing: true, ...expected });
    expect(actionHealth([well])).toEqual({ is_failing: false, ...expected });
  });
});
