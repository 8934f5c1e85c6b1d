import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, micros, plus } from '#shared/base/time.ts';
import { targetHealthKey } from '#shared/notifications/records/keys.ts';
import {
  prepareHealth,
  readHealth,
  readHealths,
  reserveProbe,
  updateHealth,
} from '#shared/notifications/records/target-health.ts';
import { freshHealth, healthAfter } from '#shared/notifications/rules/health.ts';
import type { Attempt } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';
import { readTargetHealth } from '#test/support/records/notified.ts';
import { testTable } from '#test/support/table.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
type AttemptResult = Pick<Attempt, 'at' | 'outcome'>;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations));
};
const failed = (at: number): AttemptResult => ({ at: plus(START, at), outcome: 'failed' });
const delivered = (at: number): AttemptResult => ({ at: plus(START, at), outcome: 'delivered' });

describe('the health of a target', () => {
  test('is decided by the latest attempts, in whatever order, how often and by how many workers they are added', async () => {
    const attempt = fc.record({ at: fc.integer({ min: 1, max: 50 }), good: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(attempt, { maxLength: 12, selector: ({ at }) => at }),
        fc.nat(),
        async (all, turn) => {
          const org = anOrganization();
          const attempts = all.map(({ at, good }) => (good ? delivered(at) : failed(at)));
          const expected = attempts.toSorted((a, b) => a.at - b.at).reduce(healthAfter, freshHealth('k'));
          const turned = [...attempts.slice(turn % 12), ...attempts, ...attempts.slice(0, turn % 12)];
          const parts = [turned.slice(0, 5), turned.slice(5, 9), turned.slice(9)];
          await Promise.all(parts.map((part) => updateHealth(table, org, 1, 'k', part)));
          expect(await readTargetHealth(table, org, 1, 'k')).toMatchObject({
            lastSuccess: expected.lastSuccess,
            lastFailure: expected.lastFailure,
            disabled: false,
            failures: expected.failures,
            recent: expected.recent,
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('is not written if nothing changes', async () => {
    const org = anOrganization();
    await updateHealth(table, org, 1, 'k', [delivered(5), failed(9)]);
    const before = await table.get(targetHealthKey(org, 1, 'k'));
    await updateHealth(table, org, 1, 'k', [failed(9), delivered(4)]);
    await updateHealth(table, org, 1, 'k', []);
    expect(await table.get(targetHealthKey(org, 1, 'k'))).toEqual(before);
  });

  test('is read by action, or for many actions at once', async () => {
    const org = anOrganization();
    const one = await updateHealth(table, org, 1, 'a', [failed(1)]);
    const two = await updateHealth(table, org, 1, 'b', [delivered(1)]);
    const three = await updateHealth(table, org, 2, 'a', [delivered(2)]);
    expect(await readHealth(table, org, 1)).toEqual(
      new Map([
        ['a', one],
        ['b', two],
      ]),
    );
    const asked = [
      { number: 1, targets: [{ key: 'b' }, { key: 'c' }] },
      { number: 2, targets: [{ key: 'a' }] },
    ];
    expect(await readHealths(table, org, asked)).toEqual(
      new Map([
        [1, new Map([['b', two]])],
        [2, new Map([['a', three]])],
      ]),
    );
  });

  test('gives the probe of an open circuit to one of several workers', async () => {
    const org = anOrganization();
    const open = await updateHealth(table, org, 1, 'k', [1, 2, 3, 4, 5].map(failed));
    const after = { ...open, probeAt: micros(open.probeAt + 1) };
    const taken = await Promise.all([1, 2, 3].map(() => reserveProbe(table, org, 1, open, after)));
    expect(taken.toSorted()).toEqual([false, false, true]);
    expect(await readTargetHealth(table, org, 1, 'k')).toEqual(after);
    expect(await updateHealth(table, org, 1, 'k', [delivered(9)])).toMatchObject({ failures: 0, probeAt: 0 });
  });
});

describe('a save of the action', () => {
  const save = async (org: OrganizationId, before: string[], after: string[], at: number) => {
    const keys = (names: string[]) => names.map((key) => ({ key }));
    const writes = await prepareHealth(table, org, 1, { before: keys(before), after: keys(after) }, plus(START, at));
    return writes.length === 0 ? 'done' : table.transact(writes);
  };

  test('enables the targets that it keeps, and earlier attempts do not disable them again', async () => {
    const org = anOrganization();
    const gone: AttemptResult = { at: plus(START, 5), outcome: 'gone' };
    await updateHealth(table, org, 1, 'k', [delivered(1), gone]);
    expect(await save(org, ['k'], ['k'], 10)).toBe('done');
    const enabled = { disabled: false, failures: 0, lastSuccess: START + 1, lastFailure: START + 5 };
    expect(await readTargetHealth(table, org, 1, 'k')).toMatchObject(enabled);
    await updateHealth(table, org, 1, 'k', [gone, { at: plus(START, 10), outcome: 'gone' }]);
    expect(await readTargetHealth(table, org, 1, 'k')).toMatchObject(enabled);
    await updateHealth(table, org, 1, 'k', [{ at: plus(START, 11), outcome: 'gone' }]);
    expect(await readTargetHealth(table, org, 1, 'k')).toMatchObject({ disabled: true });
  });

  test('gives targets that the action did not have before fresh health', async () => {
    const org = anOrganization();
    await updateHealth(table, org, 1, 'k', [delivered(1), failed(2)]);
    expect(await save(org, ['other'], ['k'], 10)).toBe('done');
    expect(await readTargetHealth(table, org, 1, 'k')).toEqual(freshHealth('k'));
    await updateHealth(table, org, 1, 'k', [failed(3)]);
    expect(await readTargetHealth(table, org, 1, 'k')).toEqual(freshHealth('k'));
  });

  test('has to read again if an attempt was added in between', async () => {
    const org = anOrganization();
    await updateHealth(table, org, 1, 'k', [failed(1)]);
    const targets = { before: [{ key: 'k' }], after: [{ key: 'k' }] };
    const writes = await prepareHealth(table, org, 1, targets, plus(START, 10));
    await updateHealth(table, org, 1, 'k', [failed(2)]);
    expect(await table.transact(writes)).toBe('again');
  });

  test('writes nothing for targets without attempts', async () => {
    const org = anOrganization();
    expect(await prepareHealth(table, org, 1, { before: [], after: [{ key: 'k' }] }, START)).toEqual([]);
  });
});
