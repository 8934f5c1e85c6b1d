import { expect, it } from 'vitest';
import { functionMemory, idleUsage, type Resources } from './deployed.ts';

const REGION: Resources = {
  Key0: { Type: 'AWS::KMS::Key' },
  Key1: { Type: 'AWS::KMS::Key' },
  Board: { Type: 'AWS::CloudWatch::Dashboard' },
  OneMetric: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
  Sum: {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { Metrics: [{ Expression: 'm0 + m1' }, { MetricStat: {} }, { MetricStat: {} }] },
  },
  FromQueue: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { BatchSize: 10 } },
  FromStream: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { StartingPosition: 'TRIM_HORIZON' } },
  Sweep: { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression: 'rate(5 minutes)' } },
  OfEvents: { Type: 'AWS::Events::Rule', Properties: { EventPattern: { source: ['aws.kms'] } } },
  RelayA1B2C3D4: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 2048 } },
};

it('counts what a region pays for while nothing happens', () => {
  expect(idleUsage(REGION)).toMatchObject({
    keys: 2,
    dashboards: 1,
    alarmMetrics: 1 + 2,
    // One queue, five connections, three polls of 20 seconds per minute of 30 days.
    queueRequests: 5 * 3 * 43_200,
    functionCalls: 43_200 / 5,
  });
});

it('finds the memory of a function by its name', () => {
  expect(functionMemory(REGION)('relay')).toBe(2);
  expect(() => functionMemory(REGION)('expander')).toThrow('The template has no function expander');
});
