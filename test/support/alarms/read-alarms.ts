import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { resourcesOf } from '#test/infra/synthesized.ts';

/** Reads alarms and metric filters from a synthesized template, in the forms that the stories of incidents play. */

const Metric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  /** A value can be the name of a resource of another stack. */
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
});

const Part = z.object({
  Id: z.string(),
  Expression: z.string().optional(),
  MetricStat: z.object({ Metric, Period: z.number(), Stat: z.string() }).optional(),
});

const AlarmResource = z.object({
  AlarmDescription: z.string(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanOrEqualToThreshold']),
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.int().optional(),
  Threshold: z.number(),
  TreatMissingData: z.enum(['breaching', 'notBreaching']),
  Period: z.number().optional(),
  Statistic: z.string().optional(),
  ...Metric.partial().shape,
  Metrics: z.array(Part).optional(),
});

const FilterResource = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.string(),
  MetricTransformations: z.tuple([
    z.object({ MetricName: z.string(), MetricNamespace: z.string(), MetricValue: z.string() }),
  ]),
});

/** A metric as its name and the text of its dimensions. */
export interface MetricName {
  namespace: string;
  name: string;
  dimensions: string;
}

/** An alarm on the sum of one or more metrics, or on another statistic of one. */
export interface AlarmToPlay {
  /** The text that the alarm mails. */
  text: string;
  metrics: readonly MetricName[];
  /** `Sum` or `Maximum` of the values of a metric in a period. */
  statistic: string;
  periodSeconds: number;
  threshold: number;
  isLowerBound: boolean;
  isMissingDataBreaching: boolean;
  /** The alarm is raised if `breaching` of the last `periods` reach the threshold. */
  periods: number;
  breaching: number;
}

export interface LineFilter {
  pattern: string;
  logGroup: string;
  namespace: string;
  metric: string;
  /** The number that a line counts, or the field of the line that has the number: `1` or `$.age_seconds`. */
  value: string;
}

const nameOf = ({ Namespace, MetricName, Dimensions }: z.output<typeof Metric>): MetricName => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: JSON.stringify(Dimensions),
});

/**
 * Reads the alarm of a section of the runbook.
 *
 * @throws Error if there is no such alarm, or if its metrics have a form that cannot be played
 */
export function readAlarm(template: Template, section: string): AlarmToPlay {
  const end = ` What to do: docs/runbook.md#${section.toLowerCase()}`;
  const found = Object.values(resourcesOf<{ AlarmDescription?: string }>(template, 'AWS::CloudWatch::Alarm')).find(
    ({ AlarmDescription }) => AlarmDescription?.endsWith(end),
  );
  if (!found) throw new Error(`No alarm names the section ${section} of the runbook`);
  const alarm = AlarmResource.parse(found);
  return {
    text: alarm.AlarmDescription,
    ...(alarm.Metrics ? sumIn(alarm.Metrics) : metricIn(alarm)),
    threshold: alarm.Threshold,
    isLowerBound: alarm.ComparisonOperator === 'LessThanOrEqualToThreshold',
    isMissingDataBreaching: alarm.TreatMissingData === 'breaching',
    periods: alarm.EvaluationPeriods,
    breaching: alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods,
  };
}

const PLAYED = ['Sum', 'Maximum'];

type Measured = Pick<AlarmToPlay, 'metrics' | 'statistic' | 'periodSeconds'>;

function metricIn(alarm: z.output<typeof AlarmResource>): Measured {
  const { Period, Statistic, ...metric } = alarm;
  const statistic = z.enum(PLAYED).parse(Statistic);
  return { metrics: [nameOf(Metric.parse(metric))], statistic, periodSeconds: z.number().parse(Period) };
}

/** @throws Error unless the parts are an expression `SUM([m0,m1])` of sums and its metrics */
function sumIn(parts: readonly z.output<typeof Part>[]): Measured {
  const stats = parts.flatMap(({ MetricStat }) => MetricStat ?? []);
  const ids = parts.filter(({ MetricStat }) => MetricStat).map(({ Id }) => Id);
  const expressions = parts.flatMap(({ Expression }) => Expression ?? []);
  const periods = new Set(stats.map(({ Period }) => Period));
  const [periodSeconds] = periods;
  const isSum = expressions.length === 1 && expressions[0] === `SUM([${ids}])`;
  if (!isSum || periods.size !== 1 || stats.some(({ Stat }) => Stat !== 'Sum') || periodSeconds === undefined) {
    throw new Error(`The expressions ${JSON.stringify(expressions)} cannot be played`);
  }
  return { metrics: stats.map((stat) => nameOf(stat.Metric)), statistic: 'Sum', periodSeconds };
}

export const readFilters = (template: Template): LineFilter[] =>
  Object.values(resourcesOf<unknown>(template, 'AWS::Logs::MetricFilter')).map((resource) => {
    const { FilterPattern: pattern, LogGroupName: logGroup, MetricTransformations } = FilterResource.parse(resource);
    const [{ MetricName: metric, MetricNamespace: namespace, MetricValue: value }] = MetricTransformations;
    return { pattern, logGroup, namespace, metric, value };
  });
