import { sum, times, type Usage } from '../prices.ts';
import type { CountedOperations } from './count-operations.ts';
import { type Customer, WORKING_DAYS, WORKING_HOURS } from './customers.ts';
import { DAYS_PER_MONTH, MINUTES_PER_MONTH } from './deployed.ts';
import type { Operation } from './operations.ts';
import { ASSUMED } from './usage-of.ts';

/** The bill of a month: how often each operation happens, times what the operation uses. */

/** What the bill is computed from. */
export interface Counted extends CountedOperations {
  /** What one accepted write uses in the log, at the customer's pace. */
  log: Usage;
  /** What a month uses without any request. */
  idle: Usage;
}

/** What causes cost, and what it uses in a month. */
export interface Cause {
  name: string;
  usage: Usage;
}

export const SECONDS_PER_MONTH = MINUTES_PER_MONTH * 60;
/** The sweep of chains reads this often, and this much, for an organization in which something happens (docs/deploying.md). */
const CHAIN_SWEEPS = 8_640;
const CHAIN_READS = 300;

/** Returns how often each operation happens in a month. */
export function operationsOf(customer: Customer): Record<Operation, number> {
  const { developers, environments } = customer;
  const releases = developers * customer.releases * WORKING_DAYS;
  const reports = environments * customer.reports * MINUTES_PER_MONTH;
  const changes = environments * customer.changes * WORKING_DAYS;
  const evaluatedAgain = changes + environments * customer.evaluatedAgain * DAYS_PER_MONTH;
  return {
    'begin trail': releases,
    attestation: releases * (customer.attestations - 1),
    'attestation with a file': releases,
    'artifact report': releases * customer.artifacts,
    assert: releases * customer.asserts,
    'report with a change': changes,
    'report that is evaluated again': evaluatedAgain,
    'report without a change': reports - changes - evaluatedAgain,
    'page of the console': developers * customer.pages * WORKING_DAYS,
  };
}

/** Returns how many writes of a month become entries of the log. */
export function logEntriesOf(customer: Customer): number {
  const often = operationsOf(customer);
  return (
    often['begin trail'] +
    often.attestation +
    often['attestation with a file'] +
    often['artifact report'] +
    often['report with a change']
  );
}

/** Returns the milliseconds from one entry of the log to the next in working hours. */
export const millisBetweenEntries = (customer: Customer): number =>
  (WORKING_DAYS * WORKING_HOURS * 3_600_000) / logEntriesOf(customer);

/** Returns what a month uses, by cause. Evidence is stored as long as the customer stores it, and this month is the last. */
export function monthOf(customer: Customer, { operations, webhook, log, idle }: Counted): Cause[] {
  const often = operationsOf(customer);
  const group = (name: string, members: readonly Operation[]): Cause => ({
    name,
    usage: sum(
      members.flatMap((member) => {
        const { request, afterwards } = operations[member];
        return [times(request, often[member]), times(afterwards, often[member])];
      }),
    ),
  });
  const month: Cause[] = [
    group('Trails, attestations and artifacts', [
      'begin trail',
      'attestation',
      'attestation with a file',
      'artifact report',
    ]),
    group('Reports of environments without a change', ['report without a change']),
    group('Reports that are evaluated', ['report with a change', 'report that is evaluated again']),
    { name: 'The log', usage: times(log, logEntriesOf(customer)) },
    { name: 'Webhooks', usage: times(webhook, often['begin trail'] * customer.webhooks) },
    group('Assert requests', ['assert']),
    group('The console', ['page of the console']),
    { name: 'Times of the last use of keys', usage: { writeUnits: customer.keys * DAYS_PER_MONTH * 24 } },
    {
      name: 'What runs without any request',
      usage: sum([idle, { readUnits: CHAIN_SWEEPS * CHAIN_READS }]),
    },
  ];
  const calls = sum(month.map(({ usage }) => usage)).functionCalls ?? 0;
  return [
    ...month.map(({ name, usage }) => ({ name, usage: withoutStorage(usage) })),
    { name: 'Traces of functions', usage: { traces: tracesOf(calls) } },
    {
      name: 'Storage of evidence',
      usage: times(storageOf(sum(month.map(({ usage }) => usage))), customer.monthsStored),
    },
  ];
}

/** The first call of a second is traced, and a share of the further ones. */
export function tracesOf(calls: number): number {
  const first = Math.min(calls, SECONDS_PER_MONTH);
  return first + ASSUMED.tracedShare * (calls - first);
}

export const storageOf = ({ tableGigabytes = 0, tableBackupGigabytes = 0, bucketGigabytes = 0 }: Usage): Usage => ({
  tableGigabytes,
  tableBackupGigabytes,
  bucketGigabytes,
});

export const withoutStorage = (usage: Usage): Usage => ({
  ...usage,
  tableGigabytes: 0,
  tableBackupGigabytes: 0,
  bucketGigabytes: 0,
});
