import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { constructId } from '#infra/constructs/service-function.ts';
import { synthesizeTemplates } from '#infra/templates.ts';
import { sum, times, type Usage } from '../prices.ts';
import { callUsage, type MemoryOf } from './usage-of.ts';

/** What a region costs while nothing happens, from the templates that a deployment uses. */

export interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}
/** The resources of a region by their logical ids. */
export type Resources = Record<string, Resource>;

export const DAYS_PER_MONTH = 30;
export const MINUTES_PER_MONTH = DAYS_PER_MONTH * 24 * 60;
/** An event source polls its queue with this many connections, each of which waits for 20 seconds. */
const POLLS_PER_MINUTE = 5 * 3;
/** What a sweep reads if no organization has work for it (docs/deploying.md). */
const SWEEP_READS = 10;

/** Returns the resources of one region with the default settings. */
export function deployedResources(): Resources {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    const [region] = synthesizeTemplates(folder, groups).values();
    if (!region) throw new Error('There is no region');
    const resourcesOf = (template: { toJSON(): Record<string, unknown> }) =>
      template.toJSON()['Resources'] as Resources;
    return { ...resourcesOf(region.stateful), ...resourcesOf(region.service), ...resourcesOf(region.watch) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the memory of functions, in GB, by the names of the functions. */
export function functionMemory(resources: Resources = deployedResources()): MemoryOf {
  return (name) => {
    // The CDK appends a hash of eight digits to the id of the construct.
    const pattern = new RegExp(`^${constructId(name)}[0-9A-F]{8}$`);
    const [, found] =
      Object.entries(resources).find(([id, { Type }]) => Type === 'AWS::Lambda::Function' && pattern.test(id)) ?? [];
    if (!found) throw new Error(`The template has no function ${name}`);
    return Number(found.Properties?.['MemorySize']) / 1024;
  };
}

/** What a month of a region uses without any request. */
export function idleUsage(resources: Resources): Usage {
  const ofType = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  const properties = (type: string) => ofType(type).map(({ Properties = {} }) => Properties);
  const alarmMetrics = properties('AWS::CloudWatch::Alarm')
    .map(({ Metrics = [{}] }) => (Metrics as object[]).filter((metric) => !('Expression' in metric)).length)
    .reduce((a, b) => a + b, 0);
  // Streams are read for nothing. Only the event sources of streams have a starting position.
  const queues = properties('AWS::Lambda::EventSourceMapping').filter((source) => !('StartingPosition' in source));
  // Other rules match events and call nothing.
  const sweeps = properties('AWS::Events::Rule')
    .filter((rule) => 'ScheduleExpression' in rule)
    .map(({ ScheduleExpression }) => MINUTES_PER_MONTH / minutesOf(String(ScheduleExpression)))
    .reduce((a, b) => a + b, 0);
  return sum([
    {
      keys: ofType('AWS::KMS::Key').length,
      alarmMetrics,
      dashboards: ofType('AWS::CloudWatch::Dashboard').length,
      queueRequests: queues.length * POLLS_PER_MINUTE * MINUTES_PER_MONTH,
      readUnits: sweeps * SWEEP_READS,
    },
    times(callUsage(functionMemory(resources)('relay'), 1), sweeps),
  ]);
}

function minutesOf(schedule: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour)s?\)$/.exec(schedule) ?? [];
  if (count === undefined) throw new Error(`The schedule ${schedule} has no rate in minutes or hours`);
  return Number(count) * (unit === 'hour' ? 60 : 1);
}
