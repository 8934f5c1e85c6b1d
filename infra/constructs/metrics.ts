import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { functionName, type RuleName, ruleName } from '../names.ts';
import { FIVE_MINUTES } from './alarms.ts';

/** Returns the sum of metrics under one label. */
export const sumOf = (label: string, metrics: readonly IMetric[]): IMetric => {
  const usingMetrics = Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric]));
  return new MathExpression({
    label,
    expression: `SUM([${Object.keys(usingMetrics)}])`,
    usingMetrics,
    period: FIVE_MINUTES,
  });
};

/** Raises the alarm at the first message in a queue that should always be empty. */
export const hasMessages = (queue: IQueue): { metric: IMetric; threshold: number } => ({
  metric: queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES }),
  threshold: 1,
});

/** Raises the alarm when a message has waited in a queue for `age`. */
export const keepsMessages = (queue: IQueue, age: Duration): { metric: IMetric; threshold: number } => ({
  metric: queue.metricApproximateAgeOfOldestMessage({ period: FIVE_MINUTES, statistic: Stats.MAXIMUM }),
  threshold: age.toSeconds(),
});

/** Counts how often a schedule of a stage has called its function. */
export const invocationsOf = (stage: string, rule: RuleName, period: Duration): IMetric =>
  new Metric({
    namespace: 'AWS/Events',
    metricName: 'Invocations',
    dimensionsMap: { RuleName: ruleName(stage, rule) },
    statistic: Stats.SUM,
    period,
  });

/** Returns a metric of a function of a stage. */
export const functionMetric = (
  stage: string,
  name: string,
  options: { metricName: 'Errors' | 'Throttles' | 'Duration' | 'IteratorAge'; statistic: string; period?: Duration },
): IMetric =>
  new Metric({
    namespace: 'AWS/Lambda',
    dimensionsMap: { FunctionName: functionName(stage, name) },
    label: name,
    period: FIVE_MINUTES,
    ...options,
  });
