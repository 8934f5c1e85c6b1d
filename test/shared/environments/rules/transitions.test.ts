import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRunning } from '#shared/environments/rules/compare.ts';
import {
  ENVIRONMENT_EVENTS,
  firedTriggers,
  knownAfter,
  stateTrigger,
  stateWord,
} from '#shared/environments/rules/transitions.ts';
import { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { aRow } from './rows.ts';

/** The triggers that a run of snapshots with these states fires. */
function firedBy(states: readonly (boolean | null)[]) {
  let known: boolean | null = null;
  return states.map((state) => {
    const trigger = stateTrigger(known, state);
    known = knownAfter(known, state);
    return trigger;
  });
}

describe('changes of an environment’s state', () => {
  test('fire if a known state follows a different known state', () => {
    expect(firedBy([true, false, false, true, true])).toEqual([
      ...[null, 'ON_NON_COMPLIANT_ENV', null, 'ON_COMPLIANT_ENV', null],
    ]);
  });

  test('do not fire for the first state, nor from or to unknown', () => {
    expect(firedBy([false])).toEqual([null]);
    expect(firedBy([null, true, null, true, null])).toEqual([null, null, null, null, null]);
  });

  test('are compared with the last known state', () => {
    expect(firedBy([true, null, null, false])).toEqual([null, null, null, 'ON_NON_COMPLIANT_ENV']);
    expect(firedBy([null, false, null, true])).toEqual([null, null, null, 'ON_COMPLIANT_ENV']);
  });

  test('alternate for any number of unknown states in between', () => {
    const states = fc.array(fc.constantFrom(true, false, null));
    fc.assert(
      fc.property(states, (list) => {
        const fired = firedBy(list).filter((trigger) => trigger !== null);
        expect(fired).toEqual(firedBy(list.filter((state) => state !== null)).filter((trigger) => trigger !== null));
        for (const [n, trigger] of fired.entries()) expect(trigger).not.toBe(fired[n + 1]);
      }),
    );
  });
});

describe('the triggers of one new snapshot', () => {
  test('are one per artifact that started or stopped, then one for the environment', () => {
    const before = [aRow({ name: 'gone' }), aRow({ name: 'turned' }), aRow({ name: 'moved' }), aRow()];
    const now = [
      ...[aRow({ name: 'new' }), aRow({ name: 'newer' }), aRow()],
      ...[aRow({ name: 'turned', compliant: false }), aRow({ name: 'moved', flows: [] })],
    ];
    const { events } = compareRunning(before, now);
    const fired = firedTriggers(events, true, false).map(({ trigger, event }) => [trigger, event?.row.name]);
    expect(fired).toEqual([
      ['ON_STARTED_ARTIFACT', 'new'],
      ['ON_STARTED_ARTIFACT', 'newer'],
      ['ON_EXITED_ARTIFACT', 'gone'],
      ['ON_NON_COMPLIANT_ENV', undefined],
    ]);
  });

  test('the triggers of a snapshot after attaching policies are those of the state only', () => {
    expect(firedTriggers(compareRunning([aRow()], [aRow({ decisions: 'd2' })]).events, false, true)).toEqual([
      { trigger: 'ON_COMPLIANT_ENV', event: null },
    ]);
    expect(firedTriggers([], null, true)).toEqual([]);
  });

  test('are all documented ones except scaling, each with its event type', () => {
    const firing = ENVIRONMENT_TRIGGERS.filter((trigger) => trigger !== 'ON_SCALED_ARTIFACT');
    expect(Object.keys(ENVIRONMENT_EVENTS)).toEqual(firing);
  });

  test('name the state by a word', () => {
    expect([true, false, null].map(stateWord)).toEqual(['compliant', 'non-compliant', 'unknown']);
  });
});
