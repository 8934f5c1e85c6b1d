import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros, plus } from '#shared/base/time.ts';
import { HealthWriter, WRITTEN_EVERY_MILLIS } from '#shared/notifications/health-writer.ts';
import { freshHealth, healthAfter } from '#shared/notifications/rules/health.ts';
import type { Attempt } from '#shared/notifications/rules/records.ts';
import type { Table } from '#shared/table/table.ts';
import { readTargetHealth } from '#test/support/records/notified.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { waitingTime } from '../../functions/notifier/notified.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

type AttemptResult = Pick<Attempt, 'at' | 'outcome'>;
const START = micros(1_780_000_000_000_000);
let made = 0;

function setup(fails: () => boolean = () => false) {
  made += 1;
  const of = { org: newId<OrganizationId>(plus(START, made * 1000)), action: 1, target: 'target' };
  const time = waitingTime();
  /** When the health was written, in milliseconds. */
  const written: number[] = [];
  const watched = faultyTable(table, ({ command }) => {
    if (command !== 'TransactWrite') return undefined;
    if (fails()) return 'timeout-before';
    written.push(time.waited);
    return undefined;
  });
  const writer = new HealthWriter(time);
  return {
    of,
    time,
    written,
    writer,
    add: (attempt: AttemptResult) => writer.add(watched, of, attempt),
    flush: () => writer.flush(watched, [of]),
    stored: () => readTargetHealth(table, of.org, of.action, of.target),
  };
}

const success = (at: number): AttemptResult => ({ at: plus(START, at), outcome: 'delivered' });
const failure = (at: number): AttemptResult => ({ at: plus(START, at), outcome: 'failed' });

describe('the health of a target', () => {
  test('is written at once if its state changes', async () => {
    const { add, stored, written } = setup();
    await add(success(1));
    await add(failure(2));
    expect(await stored()).toMatchObject({ lastSuccess: START + 1, lastFailure: START + 2 });
    await add(success(3));
    expect(await stored()).toMatchObject({ lastSuccess: START + 3, lastFailure: START + 2 });
    expect(written).toEqual([0, 0, 0]);
  });

  test('is written once a second while its state stays, and ends with the last attempt', async () => {
    const { add, stored, flush, written, time } = setup();
    for (let i = 0; i < 100; i += 1) {
      await add(success(i));
      time.waited += 30;
    }
    await flush();
    expect(await stored()).toMatchObject({ lastSuccess: START + 99 });
    for (const [i, at] of written.slice(1).entries()) {
      expect(at - (written[i] ?? 0)).toBeGreaterThanOrEqual(WRITTEN_EVERY_MILLIS);
    }
    expect(written.length).toBeGreaterThan(2);
    const before = written.length;
    await flush();
    expect(written).toHaveLength(before);
  });

  test('is written with the next attempt if a write failed', async () => {
    let broken = true;
    const { add, flush, stored } = setup(() => broken);
    await expect(add(failure(1))).rejects.toThrow('Injected');
    broken = false;
    await add(success(2));
    await flush();
    expect(await stored()).toMatchObject({ lastSuccess: START + 2, lastFailure: START + 1 });
  });

  test('is decided by the latest attempts, in any order, repeated, and from two containers at once', async () => {
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
        const attempts = list.map(({ at, delivered }) => (delivered ? success(at) : failure(at)));
        const { of, stored, writer } = setup();
        const others = new HealthWriter(waitingTime());
        await Promise.all(
          order.map(async ({ i, n }) => {
            const attempt = attempts[i];
            if (attempt) await (n % 2 === 0 ? writer : others).add(table, of, attempt);
          }),
        );
        await Promise.all([writer.flush(table, [of]), others.flush(table, [of])]);
        const inOrder = attempts.toSorted((a, b) => a.at - b.at).reduce(healthAfter, freshHealth(of.target));
        expect(await stored()).toEqual(inOrder);
      }),
      { numRuns: 12 },
    );
  });
});
