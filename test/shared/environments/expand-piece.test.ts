import { describe, expect, test } from 'vitest';
import { runningChanges, runningVerdicts } from '#shared/environments/expand-piece.ts';
import { snapshotEvents } from '#shared/environments/rules/compare.ts';
import type { SnapshotRow } from '#shared/environments/rules/content.ts';
import { testFingerprint } from '#test/support/ids.ts';

const row = (name: string, fingerprint: string, was: number, now: number): SnapshotRow => ({
  ...{
    name,
    fingerprint: testFingerprint(fingerprint),
    started: [1],
    flows: [],
    decisions: '',
    evaluations: [],
    compliant: null,
  },
  allowed: false,
  replaced: {},
  annotation: { type: was === 0 ? 'started' : now === 0 ? 'exited' : 'unchanged', was, now },
});

const changesOf = (...rows: SnapshotRow[]) => [
  ...runningChanges(snapshotEvents(rows.map((one) => ({ row: one, annotation: one.annotation }))), rows).values(),
];

describe('where fingerprints run', () => {
  test('changes with the first name that starts and the last that stops', () => {
    expect(changesOf(row('a', 'f', 0, 1))).toEqual([{ fingerprint: 'f', running: true }]);
    expect(changesOf(row('a', 'f', 2, 0))).toEqual([{ fingerprint: 'f', running: false }]);
    expect(changesOf(row('a', 'f', 0, 1), row('b', 'f', 0, 3))).toEqual([{ fingerprint: 'f', running: true }]);
    expect(changesOf(row('a', 'f', 1, 0), row('b', 'f', 1, 0))).toEqual([{ fingerprint: 'f', running: false }]);
  });

  test('does not change while it runs on under another name', () => {
    expect(changesOf(row('a', 'f', 1, 0), row('b', 'f', 1, 1))).toEqual([]);
    expect(changesOf(row('a', 'f', 1, 0), row('b', 'f', 0, 1))).toEqual([]);
    expect(changesOf(row('a', 'f', 1, 2))).toEqual([]);
  });

  test('is not recorded for artifacts without a fingerprint', () => {
    expect(changesOf(row('a', '', 0, 1))).toEqual([]);
  });
});

const verdictsOf = (...rows: SnapshotRow[]) => [
  ...runningVerdicts(snapshotEvents(rows.map((one) => ({ row: one, annotation: one.annotation }))), rows).values(),
];

describe('the history of running', () => {
  const judged = (one: SnapshotRow, compliant: boolean | null): SnapshotRow => ({ ...one, compliant });
  const changed = (one: SnapshotRow): SnapshotRow => ({ ...one, annotation: { ...one.annotation, type: 'changed' } });

  test('says of a start, a stop and a new verdict what the verdict was', () => {
    expect(verdictsOf(judged(row('a', 'f', 0, 1), true))).toEqual([
      { fingerprint: 'f', type: 'started', compliant: true },
    ]);
    expect(verdictsOf(judged(row('a', 'f', 1, 0), false))).toEqual([
      { fingerprint: 'f', type: 'stopped', compliant: false },
    ]);
    expect(verdictsOf(changed(judged(row('a', 'f', 1, 1), false)))).toEqual([
      { fingerprint: 'f', type: 'changed', compliant: false },
    ]);
  });

  test('has the worst verdict of an artifact with several names, of those that run', () => {
    const other = judged(row('b', 'f', 1, 1), false);
    expect(verdictsOf(judged(row('a', 'f', 0, 1), true), other)).toEqual([
      { fingerprint: 'f', type: 'changed', compliant: false },
    ]);
    expect(verdictsOf(judged(row('a', 'f', 1, 0), false), judged(row('b', 'f', 0, 1), null))).toEqual([
      { fingerprint: 'f', type: 'changed', compliant: null },
    ]);
  });

  test('has nothing of artifacts without an event or without a fingerprint', () => {
    expect(verdictsOf(row('a', 'f', 1, 1), row('b', '', 0, 1))).toEqual([]);
  });
});
