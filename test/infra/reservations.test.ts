import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { reservations } from '#infra/reservations.ts';
import { readStages } from '#infra/stages/stages.ts';

/** Returns the reservations of the region `eu` with these settings. */
function reservedWith(settings: Record<string, string>): ReadonlyMap<string, number> {
  const [eu] = readStages({ eu: settings }, 'cdk.json');
  if (!eu) throw new Error('There is no stage');
  return reservations(eu, groups);
}

describe('reserved executions', () => {
  test.each<Record<string, string>>([{}, { accountConcurrency: '356' }])(
    'exist for functions that wait for other hosts, with %j',
    (settings) => {
      expect(Object.fromEntries(reservedWith(settings))).toEqual({
        token: 100,
        'sign-in': 100,
        notifier: 51,
        integrator: 5,
      });
    },
  );

  test('do not exist in a new account, which has too few executions for one', () => {
    expect(reservedWith({ accountConcurrency: '0' })).toEqual(new Map());
  });

  test('reserved executions of functions that wait are their own where every group has some', () => {
    const settings = { accountConcurrency: '1000', reservedConcurrency: '2', waitingConcurrency: '9' };
    const reserved = reservedWith(settings);
    expect(['token', 'sign-in', 'flows'].map((name) => reserved.get(name))).toEqual([9, 9, 2]);
    expect(reserved.size).toBe(groups.length + 2);
  });

  test('reserved executions of every group need no number of the account', () => {
    expect(new Set(reservedWith({ accountConcurrency: '0', reservedConcurrency: '20' }).values())).toEqual(
      new Set([20]),
    );
  });

  test.each(['10', '355'])('are refused an account with %s executions, with the number that is needed', (count) => {
    expect(() => reservedWith({ accountConcurrency: count })).toThrow(
      "cdk.json: 'accountConcurrency' of the stage 'eu' must be at least 356: 256 executions are reserved, and AWS keeps 100 for all other " +
        `functions; it is ${count}. With 0, functions that wait have no reservation.`,
    );
  });

  test('belong to groups that exist', () => {
    const names = groups.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['token', 'sign-in']));
  });
});
