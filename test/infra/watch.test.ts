import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { RELAY_LINES } from '#infra/constructs/watch.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

interface AlarmProperties {
  AlarmDescription: string;
  AlarmActions?: unknown[];
  Metrics?: unknown[];
}

const alarmsOf = (template: Template) => resourcesOf<AlarmProperties>(template, 'AWS::CloudWatch::Alarm');
const { eu, us } = synthesize(groups, { 'eu:alarmAddress': 'team@example.com' });
const runbook = readFileSync('docs/runbook.md', 'utf8');

/** The first paragraph of each section of the runbook, on one line, by the name of the section. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [name = '', , ...lines] = section.split('\n');
      return [name, lines.slice(0, lines.indexOf('')).join(' ')];
    }),
);

const alarms = Object.values(alarmsOf(eu.service)).map(({ AlarmDescription }) => {
  const [, impact = '', section = ''] = /^(.*) What to do: docs\/runbook\.md#(.+)$/.exec(AlarmDescription) ?? [];
  return { impact, section };
});

describe('every alarm', () => {
  test.each(alarms)(
    'describes what users notice with the sentence of its section of the runbook: $section',
    ({ impact, section }) => {
      const name = [...sections.keys()].find((heading) => heading.toLowerCase() === section.replace(/\d+$/, ''));
      expect(impact).not.toBe('');
      expect(sections.get(name ?? '')).toBe(impact);
    },
  );

  test('has a section of the runbook, and every section has an alarm', () => {
    const found = new Set(alarms.map(({ section }) => section.replace(/\d+$/, '')));
    expect([...found].toSorted()).toEqual([...sections.keys()].map((name) => name.toLowerCase()).toSorted());
  });

  test('is mailed if the stage has an alarm address', () => {
    eu.service.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'team@example.com' });
    for (const alarm of Object.values(alarmsOf(eu.service))) expect(alarm.AlarmActions).toHaveLength(1);
    us.service.resourceCountIs('AWS::SNS::Topic', 0);
    for (const alarm of Object.values(alarmsOf(us.service))) expect(alarm.AlarmActions).toBeUndefined();
  });

  test('has at most ten metrics and their sum', () => {
    for (const { Metrics = [] } of Object.values(alarmsOf(eu.service))) expect(Metrics.length).toBeLessThanOrEqual(11);
  });
});

test('the relay writes each line that an alarm counts', () => {
  const folder = 'functions/relay';
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  for (const line of Object.values(RELAY_LINES)) {
    expect([line, sources.some((source) => source.includes(`'${line}'`))]).toEqual([line, true]);
  }
});

test('each region has a dashboard of its own', () => {
  for (const [stage, { service }] of Object.entries({ eu, us })) {
    service.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: `delivery-evidence-${stage}` });
  }
});
