import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { logName } from '#infra/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { isCounted } from '#test/infra/filter-pattern.ts';
import { type AlarmToPlay, type LineFilter, type MetricName, readAlarm, readFilters } from './read-alarms.ts';

interface Datapoint {
  /** In seconds since 1970. */
  at: number;
  value: number;
}

const Line = z.record(z.string(), z.unknown());

/**
 * The alarms of a synthesized stage, computed as CloudWatch does from lines of logs and from samples of metrics. Only whole periods
 * are evaluated: the last ones that have ended.
 */
export class PlayedAlarms {
  readonly #template: Template;
  readonly #stage: string;
  readonly #filters: readonly LineFilter[];
  readonly #datapoints = new Map<string, Datapoint[]>();

  /** @param template of the stack that has the alarms */
  constructor(template: Template, stage: string) {
    this.#template = template;
    this.#stage = stage;
    this.#filters = readFilters(template);
  }

  /** Takes a line that a function wrote to its log. */
  takeLine(functionName: string, line: string, at: Micros): void {
    for (const { pattern, logGroup, namespace, metric, value } of this.#filters) {
      if (logGroup !== logName(this.#stage, functionName) || !isCounted(pattern, line)) continue;
      const counted = value.startsWith('$.') ? Line.parse(JSON.parse(line))[value.slice(2)] : value;
      this.#add({ namespace, name: metric, dimensions: '[]' }, at, z.coerce.number().parse(counted));
    }
  }

  /**
   * Takes a sample of a metric of the platform.
   *
   * @param resource logical id of the queue or table, which the dimensions of the metric contain
   * @throws Error unless exactly one metric of the alarm fits
   */
  takeSample(section: string, name: string, resource: string, at: Micros, value: number): void {
    const metrics = readAlarm(this.#template, section).metrics.filter(
      (metric) => metric.name === name && metric.dimensions.includes(resource),
    );
    const [metric] = metrics;
    if (metrics.length !== 1 || !metric)
      throw new Error(`${section} reads ${metrics.length} metrics ${name} of ${resource}`);
    this.#add(metric, at, value);
  }

  /** Returns whether the alarm of a section of the runbook is raised, and the text that it mails. */
  stateOf(section: string, now: Micros): { isRaised: boolean; text: string } {
    const alarm = readAlarm(this.#template, section);
    const { periods, periodSeconds, breaching } = alarm;
    const end = Math.floor(now / 1e6 / periodSeconds) * periodSeconds;
    const reached = Array.from({ length: periods }, (_, i) => end - (i + 1) * periodSeconds).filter((start) =>
      isReached(alarm, this.#valueIn(alarm, start)),
    );
    return { isRaised: reached.length >= breaching, text: alarm.text };
  }

  /** Returns the statistic of a period, or null if no metric has data in it. */
  #valueIn({ metrics, statistic, periodSeconds }: AlarmToPlay, start: number): number | null {
    const values = metrics.flatMap((metric) =>
      (this.#datapoints.get(keyOf(metric)) ?? [])
        .filter(({ at }) => at >= start && at < start + periodSeconds)
        .map(({ value }) => value),
    );
    if (values.length === 0) return null;
    return statistic === 'Maximum' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
  }

  #add(metric: MetricName, at: Micros, value: number): void {
    const points = this.#datapoints.get(keyOf(metric)) ?? [];
    points.push({ at: at / 1e6, value });
    this.#datapoints.set(keyOf(metric), points);
  }
}

const keyOf = ({ namespace, name, dimensions }: MetricName): string => `${namespace} ${name} ${dimensions}`;

function isReached({ threshold, isLowerBound, isMissingDataBreaching }: AlarmToPlay, value: number | null): boolean {
  if (value === null) return isMissingDataBreaching;
  return isLowerBound ? value <= threshold : value >= threshold;
}
