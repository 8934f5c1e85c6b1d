import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { logicalState, unionOfMembers, withMemberSnapshot } from '#shared/environments/rules/logical.ts';
import { testId } from '#test/support/ids.ts';
import { aRow } from './rows.ts';

describe('a logical environment', () => {
  test.each<[(boolean | null)[], boolean | null]>([
    [[], null],
    [[null, null], null],
    [[true, true], true],
    [[true, null], true],
    [[true, false], false],
    [[null, false], false],
  ])('whose members are %j is %j', (members, state) => {
    expect(logicalState(members)).toBe(state);
  });

  test.each<[(boolean | null)[], boolean | null, boolean | null]>([
    [[true], false, false],
    [[true], true, true],
    [[false], true, false],
    [[null], true, true],
    [[], false, false],
    [[true], null, true],
  ])('a logical environment with members %j and policies of its own that say %j is %j', (members, own, state) => {
    expect(logicalState(members, own)).toBe(state);
  });

  test('has the same state for any order of its members', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(true, false, null)), (states) => {
        expect(logicalState(states.toReversed())).toBe(logicalState(states));
      }),
    );
  });

  test('runs everything that its members run, each row with the id of its environment', () => {
    const row = aRow();
    const members = [
      { id: testId<EnvironmentId>('e1'), rows: [row] },
      { id: testId<EnvironmentId>('e2'), rows: [] },
      { id: testId<EnvironmentId>('e3'), rows: [row, aRow({ name: 'web' })] },
    ];
    expect(unionOfMembers(members)).toEqual([
      { ...row, environment: 'e1' },
      { ...row, environment: 'e3' },
      { ...row, name: 'web', environment: 'e3' },
    ]);
  });

  test('accepts only newer snapshots of its members', () => {
    expect(withMemberSnapshot({ e1: 4 }, testId('e1'), 5)).toEqual({ e1: 5 });
    expect(withMemberSnapshot({ e1: 4 }, testId('e2'), 1)).toEqual({ e1: 4, e2: 1 });
    expect(withMemberSnapshot({ e1: 4 }, testId('e1'), 4)).toBeNull();
    expect(withMemberSnapshot({ e1: 4 }, testId('e1'), 3)).toBeNull();
  });
});
