import { describe, expect, it } from 'vitest';
import { dollars, dollarsByService, sum, type Usage } from '../prices.ts';
import { CUSTOMERS, type Customer } from './customers.ts';
import { type Counted, logEntriesOf, millisBetweenEntries, monthOf, operationsOf } from './month.ts';
import { OPERATIONS, type Operation } from './operations.ts';

const TINY: Customer = {
  name: 'tiny',
  developers: 2,
  releases: 5,
  attestations: 4,
  artifacts: 2,
  asserts: 3,
  webhooks: 2,
  environments: 1,
  reports: 1,
  changes: 10,
  evaluatedAgain: 1,
  pages: 7,
  keys: 3,
  monthsStored: 6,
};
const NOTHING: Usage = {};

/** Usage in which each request is one request of the gateway, and each effect one request of a queue. */
const counted = (more: Partial<Counted> = {}): Counted => ({
  operations: Object.fromEntries(
    OPERATIONS.map((name) => [name, { request: { gatewayRequests: 1 }, afterwards: { queueRequests: 1 } }]),
  ) as Record<Operation, { request: Usage; afterwards: Usage }>,
  webhook: NOTHING,
  log: NOTHING,
  idle: NOTHING,
  ...more,
});

const totalOf = (customer: Customer, costs: Counted): Usage => sum(monthOf(customer, costs).map(({ usage }) => usage));

describe('operationsOf', () => {
  it('multiplies what a release makes with the releases of 21 working days', () => {
    const releases = 2 * 5 * 21;
    expect(operationsOf(TINY)).toMatchObject({
      'begin trail': releases,
      attestation: releases * 3,
      'attestation with a file': releases,
      'artifact report': releases * 2,
      assert: releases * 3,
      'page of the console': 2 * 7 * 21,
    });
  });

  it('shares the reports of 30 days among those with a change, those that are evaluated again, and the others', () => {
    const often = operationsOf(TINY);
    expect(often['report with a change']).toBe(10 * 21);
    expect(often['report that is evaluated again']).toBe(10 * 21 + 30);
    const reports = OPERATIONS.filter((name) => name.startsWith('report')).map((name) => often[name]);
    expect(reports.reduce((a, b) => a + b)).toBe(30 * 24 * 60);
  });
});

describe('monthOf', () => {
  it('uses each request and each effect as often as it happens', () => {
    const requests = Object.values(operationsOf(TINY)).reduce((a, b) => a + b);
    expect(totalOf(TINY, counted())).toMatchObject({ gatewayRequests: requests, queueRequests: requests });
  });

  it('uses the log once for each write that the log stores, evenly in working hours', () => {
    expect(totalOf(TINY, counted({ log: { signatures: 1 } })).signatures).toBe(logEntriesOf(TINY));
    expect(logEntriesOf(TINY)).toBe(2 * 5 * 21 * (1 + 4 + 2) + 210);
    expect(millisBetweenEntries(TINY) * logEntriesOf(TINY)).toBeCloseTo(21 * 8 * 3_600_000);
  });

  it('stores the evidence of every month that the customer keeps', () => {
    const month = totalOf(TINY, counted({ log: { tableGigabytes: 2, tableBackupGigabytes: 2, bucketGigabytes: 3 } }));
    const kept = 6 * logEntriesOf(TINY);
    expect(month).toMatchObject({
      tableGigabytes: 2 * kept,
      tableBackupGigabytes: 2 * kept,
      bucketGigabytes: 3 * kept,
    });
  });

  it('sends each chosen attestation to a webhook', () => {
    expect(totalOf(TINY, counted({ webhook: { sentGigabytes: 1 } })).sentGigabytes).toBe(2 * 5 * 21 * 2);
  });

  it('traces one call per second and one in twenty of the others', () => {
    const seconds = 30 * 24 * 3600;
    expect(totalOf(TINY, counted({ idle: { functionCalls: 1_000 } })).traces).toBe(1_000);
    expect(totalOf(TINY, counted({ idle: { functionCalls: seconds + 2_000 } })).traces).toBe(seconds + 100);
  });

  it('has what runs without any request in the bill of every customer', () => {
    for (const customer of CUSTOMERS) expect(totalOf(customer, counted({ idle: { keys: 4 } })).keys).toBe(4);
  });
});

describe('dollars', () => {
  it('is the sum of what the services bill', () => {
    const usage = { gatewayRequests: 1_000_000, writeUnits: 2_000_000, readUnits: 4_000_000, keys: 3 };
    expect(dollars(usage)).toBeCloseTo(1 + 2 * 0.625 + 4 * 0.125 + 3);
    const services = dollarsByService(usage);
    expect(services.get('Table')).toBeCloseTo(1.75);
    expect([...services.values()].reduce((a, b) => a + b)).toBeCloseTo(dollars(usage));
  });
});
