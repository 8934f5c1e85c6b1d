import type { Done } from '../processes/handler-runner.ts';
import { type Spread, spreadOf } from '../spread.ts';
import { median, quantile } from '../timing.ts';

/** Results of the part `contention`, as plain JSON. */

export interface ContentionResult {
  writers: number;
  rounds: number;
  seconds: number;
  scenarios: ScenarioResult[];
}

export interface ScenarioResult {
  name: string;
  /** All writers write to one thing. */
  same: WritersResult;
  /** Each writer writes to a thing of its own. */
  different: WritersResult;
}

export interface WritersResult {
  /** Successful answers per second. */
  rate: Spread;
  /** Milliseconds. */
  median: Spread;
  p99: Spread;
  /** Shares of all requests. */
  retried: Spread;
  refused: Spread;
  /** How many requests got each status. */
  statuses: Record<number, number>;
}

/** What the writers did in one round. */
export type Round = readonly Done[];

/**
 * @param usualCalls AWS calls of a request without a conflict: a request that made more calls has retried
 */
export function writersResult(rounds: readonly Round[], usualCalls: number): WritersResult {
  const spread = (of: (round: Round) => number) => spreadOf(rounds.map(of));
  return {
    rate: spread((round) => countOf(round, isSuccess) / Math.max(...round.map(({ seconds }) => seconds))),
    median: spread((round) => median(round.flatMap(({ millis }) => millis))),
    p99: spread((round) =>
      quantile(
        round.flatMap(({ millis }) => millis),
        0.99,
      ),
    ),
    refused: spread((round) => countOf(round, (status) => !isSuccess(status)) / countOf(round, () => true)),
    retried: spread((round) => {
      const calls = round.flatMap(({ awsCalls }) => awsCalls);
      return calls.filter((count) => count > usualCalls).length / calls.length;
    }),
    statuses: statusesOf(rounds.flat()),
  };
}

/** The most AWS calls of nearly all requests. A few made more, because the key was read again. */
export const usualCallsOf = (rounds: readonly Round[]): number =>
  quantile(
    rounds.flat().flatMap(({ awsCalls }) => awsCalls),
    0.95,
  );

const isSuccess = (status: number) => status < 300;

const countOf = (round: Round, counts: (status: number) => boolean): number =>
  round
    .flatMap(({ statuses }) => Object.entries(statuses))
    .reduce((sum, [status, count]) => sum + (counts(Number(status)) ? count : 0), 0);

function statusesOf(all: readonly Done[]): Record<number, number> {
  const sum: Record<number, number> = {};
  for (const [status, count] of all.flatMap(({ statuses }) => Object.entries(statuses))) {
    sum[Number(status)] = (sum[Number(status)] ?? 0) + count;
  }
  return sum;
}
