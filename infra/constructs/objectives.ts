import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alarms } from './alarms.ts';
import type { Watched } from './dashboard.ts';
import { SIGNAL_LINES } from './log-lines.ts';
import type { LogMetrics } from './log-metrics.ts';

/** With fewer failures in a window no objective is missed, whatever their share: one error of a quiet night wakes nobody. */
const FEWEST_FAILURES = 5;

/**
 * Windows of a burn rate, over an objective of 30 days. `rate` says how much faster than allowed failures use up the month: 14.4 times
 * for an hour is 2 % of the month, 6 times for six hours is 5 %. The short window ends the alarm soon after the failures end.
 */
const BURNS = [
  { name: 'Fast', rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5) },
  { name: 'Slow', rate: 6, long: Duration.hours(6), short: Duration.minutes(30) },
] as const;

interface Objective {
  readonly failed: (period: Duration) => IMetric;
  readonly all: (period: Duration) => IMetric;
  /** The share that may fail in 30 days. */
  readonly budget: number;
  readonly impact: string;
}

/** Shares that may fail in 30 days (rules/storage.md#objectives). */
const ANSWERS_BUDGET = 0.001;
const VISIBLE_BUDGET = 0.01;

/** Adds an alarm for each of the two service objectives of a stage (rules/storage.md#objectives). */
export function watchObjectives({ alarms, api, lines }: Watched & { alarms: Alarms; lines: LogMetrics }): void {
  addObjective(alarms, 'AnswersMissObjective', {
    failed: (period) => api.metricServerError({ period, statistic: Stats.SUM }),
    all: (period) => api.metricCount({ period, statistic: Stats.SUM }),
    budget: ANSWERS_BUDGET,
    impact: 'So many requests get errors (5xx) that 99.9 % of answers in 30 days will not be kept.',
  });
  const late = lines.field('LateRecords', SIGNAL_LINES.applied, 'late', 'relay');
  const applied = lines.field('AppliedRecords', SIGNAL_LINES.applied, 'records', 'relay');
  addObjective(alarms, 'ListsMissObjective', {
    failed: (period) => late.with({ period }),
    all: (period) => applied.with({ period }),
    budget: VISIBLE_BUDGET,
    impact: 'So many accepted writes appear late in their lists that 99 % within 30 seconds will not be kept.',
  });
}

function addObjective(alarms: Alarms, name: string, objective: Objective): void {
  const windows = BURNS.map(({ name: burn, rate, long, short }) => {
    const window = (period: Duration) => ({ metric: share(objective, period), threshold: rate * objective.budget });
    return { [`${name}${burn}Long`]: window(long), [`${name}${burn}Short`]: window(short) };
  });
  alarms.addTogether(name, windows, objective.impact);
}

/** Returns the share of failures, from 0 to 1. It is 0 below {@link FEWEST_FAILURES}. */
const share = ({ failed, all }: Objective, period: Duration): IMetric =>
  new MathExpression({
    label: 'Share of failures',
    expression: `IF(failed >= ${FEWEST_FAILURES}, failed / all, 0)`,
    usingMetrics: { failed: failed(period), all: all(period) },
    period,
  });
