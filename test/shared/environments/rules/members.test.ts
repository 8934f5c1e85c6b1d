import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { nextMembers } from '#shared/environments/rules/members.ts';
import { testId } from '#test/support/ids.ts';

const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijkl').map(testId<EnvironmentId>), { maxLength: 12 });
const most = fc.integer({ min: 1, max: 5 });

/** Ids in one list and not in the other. */
const differences = (one: readonly string[], other: readonly string[]) =>
  new Set(one).symmetricDifference(new Set(other)).size;

describe('the steps of a change of members', () => {
  it('are one step if few members differ', () => {
    expect(nextMembers([testId('a'), testId('b')], [testId('c'), testId('b')], 2)).toEqual(['c', 'b']);
  });

  it('change as many members as allowed, and come closer by as many', () => {
    fc.assert(
      fc.property(ids, ids, most, (before, after, limit) => {
        const next = nextMembers(before, after, limit);
        expect(new Set(next).size).toBe(next.length);
        expect(differences(before, next)).toBe(Math.min(limit, differences(before, after)));
        expect(differences(next, after)).toBe(Math.max(0, differences(before, after) - limit));
      }),
    );
  });

  it('end with the members in the requested order', () => {
    fc.assert(
      fc.property(ids, ids, most, (before, after, limit) => {
        let members: readonly EnvironmentId[] = before;
        for (let step = 0; step < 30 && members !== after; step += 1) members = nextMembers(members, after, limit);
        expect(members).toBe(after);
      }),
    );
  });
});
