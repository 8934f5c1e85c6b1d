import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  LogGroup,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logName, metricNamespace } from '../names.ts';
import { FIVE_MINUTES } from './alarms.ts';

/** The functions whose logs have lines that alarms count. */
export type LoggingFunction = 'relay' | 'integrator' | 'operator' | 'notifier';

/** Makes metrics from the lines of the logs of a stage. The logs are known by their names. */
export class LogMetrics {
  readonly #scope: Construct;
  readonly #stage: string;
  readonly #logs = new Map<LoggingFunction, ILogGroup>();

  constructor(scope: Construct, stage: string) {
    this.#scope = scope;
    this.#stage = stage;
  }

  /** Returns a metric that counts lines in the logs of functions. */
  count(id: string, filterPattern: IFilterPattern, name: LoggingFunction, ...others: LoggingFunction[]): Metric {
    for (const [i, other] of others.entries()) this.#filter(`${id}${i + 2}`, id, { filterPattern, name: other });
    return this.#filter(id, id, { filterPattern, name }).metric({ period: FIVE_MINUTES, statistic: Stats.SUM });
  }

  /** Returns the sum, or another statistic, of the numbers that lines of a function's log have in a field. */
  field(id: string, line: string, field: string, name: LoggingFunction, statistic: string = Stats.SUM): Metric {
    const filter = this.#filter(id, id, { filterPattern: isLine(line), name, metricValue: `$.${field}` });
    return filter.metric({ period: FIVE_MINUTES, statistic });
  }

  #filter(
    id: string,
    metricName: string,
    { name, ...pattern }: { filterPattern: IFilterPattern; name: LoggingFunction; metricValue?: string },
  ): MetricFilter {
    return new MetricFilter(this.#scope, id, {
      logGroup: this.#log(name),
      metricNamespace: metricNamespace(this.#stage),
      metricName,
      ...pattern,
    });
  }

  #log(name: LoggingFunction): ILogGroup {
    const log = this.#logs.get(name) ?? LogGroup.fromLogGroupName(this.#scope, name, logName(this.#stage, name));
    this.#logs.set(name, log);
    return log;
  }
}

export const isLine = (message: string): JsonPattern => FilterPattern.stringValue('$.message', '=', message);

export const anyLine = (messages: readonly string[]): IFilterPattern => FilterPattern.any(...messages.map(isLine));
