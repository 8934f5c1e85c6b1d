import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { HealthKeeper, WRITTEN_EVERY_MILLIS } from '#shared/notifications/health-keeper.ts';
import { readTargetHealth } from '#shared/notifications/records/target-health.ts';
import { freshHealth, healthAfter } from '#shared/notifications/rules/health.ts';
import type { Attempt } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';
import { faultyTable } from '#test/support/faults.ts';
import { testTable } from '#test/support/table.ts';
import { waitingTime } from '../../functions/notifier/notified.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

type Told = Pick<Attempt, 'at' | 'outcome'>;
const START = 1_780_000_000_000_000;
let made = 0;

function setup(fails: () => boolean = () => false) {
  made += 1;
  const of = { org: newId<OrganizationId>(START + made * 1000), action: 1, target: 'target' };
  const time = waitingTime();
  /** When the health was written, in milliseconds. */
  const written: number[] = [];
  const watched = faultyTable(table, ({ command }) => {
    if (command !== 'TransactWrite') return undefined;
    if (fails()) return 'timeout-before';
    written.push(time.waited);
    return undefined;
  });
  const keeper = new HealthKeeper(time);
  return {
    ...{ of, time, written, keeper },
    note: (attempt: Told) => keeper.note(watched, of, attempt),
    settle: () => keeper.settle(watched, [of]),
    stored: () => readTargetHealth(table, of.org, of.action, of.target),
  };
}

const success = (at: number): Told => ({ at: START + at, outcome: 'delivered' });
const failure = (at: number): Told => ({ at: START + at, outcome: 'failed' });

describe('the health of a target', () => {
  test('is written at once where its state changes', async () => {
    const { note, stored, written } = setup();
    await note(success(1));
    await note(failure(2));
    expect(await stored()).toMatchObject({ lastSuccess: START + 1, lastFailure: START + 2 });
    await note(success(3));
    expect(await stored()).toMatchObject({ lastSuccess: START + 3, lastFailure: START + 2 });
    expect(written).toEqual([0, 0, 0]);
  });

  test('is written once a second while its state stays, and ends with the last attempt', async () => {
    const { note, stored, settle, written, time } = setup();
    for (let i = 0; i < 100; i += 1) {
      await note(success(i));
      time.waited += 30;
    }
    await settle();
    expect(await stored()).toMatchObject({ lastSuccess: START + 99 });
    for (const [i, at] of written.slice(1).entries()) {
      expect(at - (written[i] ?? 0)).toBeGreaterThanOrEqual(WRITTEN_EVERY_MILLIS);
    }
    expect(written.length).toBeGreaterThan(2);
    const before = written.length;
    await settle();
    expect(written).toHaveLength(before);
  });

  test('that could not be written is written with the next attempt', async () => {
    let broken = true;
    const { note, settle, stored } = setup(() => broken);
    await expect(note(failure(1))).rejects.toThrow('Injected');
    broken = false;
    await note(success(2));
    await settle();
    expect(await stored()).toMatchObject({ lastSuccess: START + 2, lastFailure: START + 1 });
  });

  test('is that of the true last attempts, however they come: any order, twice, from two containers at once', async () => {
    const attempts = fc.uniqueArray(fc.record({ at: fc.integer({ min: 1, max: 5_000 }), delivered: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
      selector: ({ at }) => at,
    });
    const scenario = attempts.chain((list) =>
      fc.record({
        list: fc.constant(list),
        order: fc.shuffledSubarray(
          [...list.keys(), ...list.keys()].map((i, n) => ({ i, n })),
          {
            minLength: list.length * 2,
            maxLength: list.length * 2,
          },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ list, order }) => {
        const told = list.map(({ at, delivered }) => (delivered ? success(at) : failure(at)));
        const { of, stored, keeper } = setup();
        const others = new HealthKeeper(waitingTime());
        await Promise.all(
          order.map(async ({ i, n }) => {
            const attempt = told[i];
            if (attempt) await (n % 2 === 0 ? keeper : others).note(table, of, attempt);
          }),
        );
        await Promise.all([keeper.settle(table, [of]), others.settle(table, [of])]);
        const inOrder = told.toSorted((a, b) => a.at - b.at).reduce(healthAfter, freshHealth(of.target));
        expect(await stored()).toEqual(inOrder);
      }),
      { numRuns: 12 },
    );
  });
});
