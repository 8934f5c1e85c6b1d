import { describe, expect, it } from 'vitest';
import { type CountedRates, dollarsAt, limitsAt, logShareAt, monthAt } from './by-rate.ts';
import { SECONDS_PER_MONTH } from './month.ts';

const counted: CountedRates = {
  write: { gatewayRequests: 1, writeUnits: 20 },
  log: [
    { everyMillis: 100, usage: { signatures: 0.05 } },
    { everyMillis: 10_000, usage: { signatures: 1 } },
  ],
  visit: { readUnits: 27 },
  idle: { keys: 4 },
};

describe('a bill by rate', () => {
  it('multiplies what a write uses, and takes the pace of one organization for the log', () => {
    const month = monthAt(counted, { writesPerSecond: 10, organizations: 1 });
    expect(month).toMatchObject({ gatewayRequests: 10 * SECONDS_PER_MONTH, keys: 4 });
    expect(month.signatures).toBeCloseTo(0.5 * SECONDS_PER_MONTH);
    // The one organization is always listed.
    expect(month.readUnits).toBeCloseTo(27 * 8_640);
    expect(monthAt(counted, { writesPerSecond: 10, organizations: 10_000 }).signatures).toBe(10 * SECONDS_PER_MONTH);
  });

  it('signs no more than the region may', () => {
    const rate = { writesPerSecond: 1_000, organizations: 10_000 };
    expect(monthAt(counted, rate).signatures).toBe(200 * SECONDS_PER_MONTH);
    expect(monthAt(counted, rate, Number.POSITIVE_INFINITY).signatures).toBe(1_000 * SECONDS_PER_MONTH);
  });

  it('takes what was counted for many organizations, where it was', () => {
    const rate = { writesPerSecond: 1_000, organizations: 100 };
    const shared = [{ ...rate, usage: { signatures: 0.01 } }];
    expect(monthAt({ ...counted, shared }, rate).signatures).toBe(10 * SECONDS_PER_MONTH);
    expect(monthAt({ ...counted, shared }, { ...rate, organizations: 101 }).signatures).not.toBe(
      10 * SECONDS_PER_MONTH,
    );
  });

  it('tells the share of the log', () => {
    const rate = { writesPerSecond: 1, organizations: 2 };
    const one = {
      ...counted,
      visit: {},
      idle: {},
      write: { signatures: 3 },
      shared: [{ ...rate, usage: { signatures: 1 } }],
    };
    expect(logShareAt(one, rate)).toBeCloseTo(0.25);
  });

  it('is that of an idle region without writes', () => {
    expect(dollarsAt(counted, { writesPerSecond: 0, organizations: 100 })).toBe(4);
  });
});

describe('the limits at a rate', () => {
  it('begin with the one that is reached first', () => {
    const first = (writesPerSecond: number, organizations: number) =>
      limitsAt(counted, { writesPerSecond, organizations })[0];
    expect(first(1_000, 10_000)).toMatchObject({ name: 'signatures', load: 5 });
    expect(first(1_000, 100)).toMatchObject({ name: 'calls of the integrator' });
    expect(first(1_000, 1)).toMatchObject({ name: 'the log of one organization', load: 1 });
  });
});
