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

/** Sections of the runbook by name, each with its first paragraph on one line. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [name = '', , ...lines] = section.split('\n');
      return [name, lines.slice(0, lines.indexOf('')).join(' ')];
    }),
);

const named = Object.values(alarmsOf(eu.service)).map(({ AlarmDescription }) => {
  const [, impact = '', section = ''] = /^(.*) What to do: docs\/runbook\.md#(.+)$/.exec(AlarmDescription) ?? [];
  return { impact, section };
});

describe('every alarm', () => {
  test.each(named)('says what users notice, as its section of the runbook does: $section', ({ impact, section }) => {
    const name = [...sections.keys()].find((heading) => heading.toLowerCase() === section.replace(/\d+$/, ''));
    expect(impact).not.toBe('');
    expect(sections.get(name ?? '')).toBe(impact);
  });

  test('has a section of the runbook, and every section an alarm', () => {
    const found = new Set(named.map(({ section }) => section.replace(/\d+$/, '')));
    expect([...found].toSorted()).toEqual([...sections.keys()].map((name) => name.toLowerCase()).toSorted());
  });

  test('is mailed where somebody is to be mailed', () => {
    eu.service.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'team@example.com' });
    for (const alarm of Object.values(alarmsOf(eu.service))) expect(alarm.AlarmActions).toHaveLength(1);
    us.service.resourceCountIs('AWS::SNS::Topic', 0);
    for (const alarm of Object.values(alarmsOf(us.service))) expect(alarm.AlarmActions).toBeUndefined();
  });

  test('adds up no more metrics than an alarm takes', () => {
    for (const { Metrics = [] } of Object.values(alarmsOf(eu.service))) expect(Metrics.length).toBeLessThanOrEqual(11);
  });
});

test('the lines that are counted are lines that the relay writes', () => {
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
