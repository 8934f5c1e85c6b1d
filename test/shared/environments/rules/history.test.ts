import { describe, expect, it } from 'vitest';
import { storedFingerprint } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import {
  artifactRuns,
  type HistoryChange,
  type HistoryFacts,
  historyTotals,
} from '#shared/environments/rules/history.ts';

const facts = (name: string, compliant: boolean | null = true): HistoryFacts => ({
  name,
  fingerprint: storedFingerprint(`f-${name}`),
  compliant,
  flow: 'web',
  report: `report-${name}`,
  origin: null,
  instances: 1,
});
const change = (at: number, type: string, name: string, compliant: boolean | null = true): HistoryChange => ({
  ...facts(name, compliant),
  type,
  at: micros(at),
});

const shown = (runs: ReturnType<typeof artifactRuns>) =>
  runs.map(({ name, from, to, verdicts }) => ({
    name,
    from,
    to,
    verdicts: verdicts.map(({ state, from: since, to: until }) => [state, since, until]),
  }));

describe('artifactRuns', () => {
  it('shows what ran all the time as open at both ends', () => {
    expect(shown(artifactRuns([facts('a')], []))).toEqual([
      { name: 'a', from: null, to: null, verdicts: [[true, null, null]] },
    ]);
  });

  it('follows starts, verdicts and exits, and gives an artifact that returns another run', () => {
    const runs = artifactRuns(
      [facts('old')],
      [
        change(1, 'started', 'new'),
        change(1, 'exited', 'old'),
        change(2, 'changed', 'new', false),
        change(3, 'changed', 'new', false),
        change(4, 'updated-provenance', 'new', null),
        change(5, 'exited', 'new', null),
        change(6, 'started', 'old', false),
      ],
    );
    expect(shown(runs)).toEqual([
      { name: 'old', from: null, to: 1, verdicts: [[true, null, 1]] },
      {
        name: 'new',
        from: 1,
        to: 5,
        verdicts: [
          [true, 1, 2],
          [false, 2, 4],
          [null, 4, 5],
        ],
      },
      { name: 'old', from: 6, to: null, verdicts: [[false, 6, null]] },
    ]);
  });

  it('takes artifacts that change or exit without a known start as running before the period', () => {
    expect(shown(artifactRuns([], [change(1, 'exited', 'a'), change(2, 'changed', 'b', false)]))).toEqual([
      { name: 'a', from: null, to: 1, verdicts: [[true, null, 1]] },
      { name: 'b', from: null, to: null, verdicts: [[false, null, null]] },
    ]);
  });

  it('keeps the instances that it knows if an event has none', () => {
    const [run] = artifactRuns([facts('a')], [{ ...change(1, 'changed', 'a', false), instances: null }]);
    expect(run?.instances).toBe(1);
  });
});

describe('historyTotals', () => {
  it('counts artifacts once and overlapping times once', () => {
    const runs = artifactRuns(
      [facts('good'), facts('bad', false), facts('dark', null)],
      [
        change(20, 'started', 'late', false),
        change(30, 'exited', 'bad', false),
        change(40, 'exited', 'late', false),
        change(50, 'started', 'bad'),
      ],
    );
    expect(historyTotals(runs, { from: 10, to: 100 })).toEqual({
      artifacts: 4,
      runs: 5,
      alwaysCompliant: 1,
      nonCompliant: 2,
      unknown: 1,
      nonCompliantTime: 30,
    });
  });
});
