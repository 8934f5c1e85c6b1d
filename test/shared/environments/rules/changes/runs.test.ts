import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { type RunChange, runsOf } from '#shared/environments/rules/changes/runs.ts';

const change = (index: number, type: RunChange['type'], compliant: boolean | null = null): RunChange => ({
  at: micros(index * 10),
  index,
  type,
  compliant,
});
const END = micros(1_000_000);

describe('the runs of an artifact in an environment', () => {
  test('are what lies between starts and stops, with the last verdict of each', () => {
    const changes = [change(1, 'started', true), change(3, 'changed', false), change(4, 'stopped', false)];
    const again = [...changes, change(7, 'started', true)];
    expect(runsOf(again, END, null)).toEqual([
      { from: 10, fromSnapshot: 1, to: 40, toSnapshot: 4, compliant: false },
      { from: 70, fromSnapshot: 7, to: null, toSnapshot: null, compliant: true },
    ]);
  });

  test('are those that were known at the instant', () => {
    const changes = [change(1, 'started', true), change(3, 'changed', false), change(4, 'stopped', false)];
    const open = { from: 10, fromSnapshot: 1, to: null, toSnapshot: null };
    expect(runsOf(changes, micros(9), null)).toEqual([]);
    expect(runsOf(changes, micros(10), null)).toEqual([{ ...open, compliant: true }]);
    expect(runsOf(changes, micros(39), null)).toEqual([{ ...open, compliant: false }]);
  });

  test('begin at an unknown time if no start is known', () => {
    expect(runsOf([change(4, 'stopped')], END, null)).toEqual([
      { from: null, fromSnapshot: null, to: 40, toSnapshot: 4, compliant: null },
    ]);
    expect(runsOf([change(4, 'changed', true)], END, null)).toEqual([
      { from: null, fromSnapshot: null, to: null, toSnapshot: null, compliant: true },
    ]);
  });

  test('end when the environment is archived, as far as that had happened', () => {
    const open = [change(1, 'started')];
    expect(runsOf(open, END, micros(500))).toMatchObject([{ from: 10, to: 500, toSnapshot: null }]);
    expect(runsOf(open, micros(499), micros(500))).toMatchObject([{ from: 10, to: null }]);
    expect(runsOf([...open, change(2, 'stopped')], END, micros(500))).toMatchObject([{ from: 10, to: 20 }]);
  });

  test('hold for any history: the artifact runs at an instant if the last change before it is no stop', () => {
    const types = fc.constantFrom<RunChange['type']>('started', 'changed', 'stopped');
    fc.assert(
      fc.property(fc.array(types, { maxLength: 12 }), fc.integer({ min: 0, max: 140 }), (steps, instant) => {
        const changes = steps.map((type, i) => change(i + 1, type));
        const asOf = micros(instant);
        const runs = runsOf(changes, asOf, null);
        const last = changes.filter(({ at }) => at <= asOf).at(-1);
        expect(runs.filter(({ to }) => to === null)).toHaveLength(
          last === undefined || last.type === 'stopped' ? 0 : 1,
        );
        const bounds = runs.flatMap(({ from, to }) => [from, to]).filter((at) => at !== null);
        expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
        // Neither the order of changes nor a second reading makes a difference.
        expect(runsOf([...changes].reverse(), asOf, null)).toEqual(runs);
      }),
    );
  });
});
