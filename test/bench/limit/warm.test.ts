import { describe, expect, it } from 'vitest';
import type { Recording } from '#test/support/table/recorder.ts';
import type { Done } from '../processes/handler-runner.ts';
import { chosenRequests } from './chosen.ts';
import { missedLimits } from './report.ts';
import type { Compared } from './results.ts';
import { bareEventOf, seedsOf } from './salt.ts';
import { comparedOf } from './warm.ts';

const done = (perSecond: number, cpu = 0): Done => ({
  seconds: 10 / perSecond,
  cpu: cpu * 10,
  millis: Array<number>(10).fill(1),
  statuses: {},
  awsCalls: [],
});

describe('comparedOf', () => {
  it('compares each round with the same round of the bare calls', () => {
    const result = comparedOf({
      functions: [done(90, 3), done(45, 6), done(80, 4)],
      tuned: [done(100, 1), done(50, 2), done(100, 3)],
      standard: [done(90, 1), done(90, 1), done(80, 1)],
    });
    expect(result.ratio.median).toBeCloseTo(0.9);
    expect(result.standardRatio.median).toBeCloseTo(1);
    expect(result.overhead).toEqual({ median: 2, low: 1, high: 4 });
    expect(result.functions.rate.median).toBeCloseTo(80);
  });
});

describe('missed goals', () => {
  const one = (ratio: number, overhead: number): Compared => {
    const spread = (median: number) => ({ median, low: median, high: median });
    const pace = { rate: spread(100), cpu: spread(1) };
    const same = { functions: pace, tuned: pace, standard: pace };
    return { ...same, ratio: spread(ratio), standardRatio: spread(1), overhead: spread(overhead) };
  };
  const missed = (kind: 'read' | 'write', alone: Compared, sixteen: Compared) =>
    missedLimits({
      trails: 1,
      rounds: 1,
      starts: 1,
      warm: [{ request: 'get', kind, calls: 2, readUnits: 2, writeUnits: 0, one: alone, sixteen }],
      cold: [],
    });

  it('judges reads and writes by goals of their own', () => {
    expect(missed('write', one(0.75, 0), one(0.75, 0))).toEqual([]);
    expect(missed('read', one(0.75, 0), one(0.9, 0))).toEqual([
      'get: 0.75 (0.75–0.75) of the bare rate with one client, below 0.8',
    ]);
  });

  it('names a request that takes more processor time', () => {
    expect(missed('write', one(1, 1.5), one(0.5, 0))).toEqual([
      'get: 0.50 (0.50–0.50) of the bare rate with 16 clients, below 0.7',
      'get: 1.50 (1.50–1.50) ms of processor time more than the bare calls',
    ]);
  });
});

describe('bare calls', () => {
  const recording: Recording = {
    read: 0,
    write: 0,
    stored: { table: 0, bucket: 0 },
    calls: [
      { command: 'GetItemCommand', input: { Key: { pk: 'A', sk: 'B' }, ConsistentRead: true }, level: 1, before: [] },
      {
        command: 'TransactWriteItemsCommand',
        input: {
          TransactItems: [{ Put: { Item: { pk: 'A', sk: 'B', n: 1 } } }, { Delete: { Key: { pk: 'C', sk: 'D' } } }],
        },
        level: 2,
        before: [{ pk: 'C', sk: 'D', old: true }],
      },
      { command: 'QueryCommand', input: { KeyConditionExpression: 'pk = :pk' }, level: 1, before: [] },
    ],
  };

  it('makes the calls of a level together, and moves writes to partitions of their own', () => {
    expect(bareEventOf(recording, '7#')).toEqual([
      [
        { command: 'GetItemCommand', input: { Key: { pk: 'A', sk: 'B' }, ConsistentRead: true } },
        { command: 'QueryCommand', input: { KeyConditionExpression: 'pk = :pk' } },
      ],
      [
        {
          command: 'TransactWriteItemsCommand',
          input: {
            TransactItems: [
              { Put: { Item: { pk: '7#A', sk: 'B', n: 1 } } },
              { Delete: { Key: { pk: '7#C', sk: 'D' } } },
            ],
          },
        },
      ],
    ]);
    expect(seedsOf(recording.calls, '7#')).toEqual([{ pk: '7#C', sk: 'D', old: true }]);
  });
});

describe('chosenRequests', () => {
  it('finds every chosen request, and can choose among them', () => {
    expect(chosenRequests().length).toBeGreaterThanOrEqual(25);
    expect(chosenRequests('attest').map(({ name }) => name)).toEqual(['list attestations, page 1', 'attest, 2 KB']);
  });
});
