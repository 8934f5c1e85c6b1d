import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { commandsOf, readLevers } from '#test/support/alarms/runbook.ts';
import { resourcesOf, serviceTemplates } from './synthesized.ts';

const { eu } = serviceTemplates(OPTIONAL_SETTINGS);
const operator = readFileSync('infra/operator.ts', 'utf8');
const levers = readLevers();

const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm']
  .flatMap((type) => Object.values(resourcesOf<{ AlarmDescription: string }>(eu.watch, type)))
  .flatMap(({ AlarmDescription }) => /docs\/runbook\.md#(.+)$/.exec(AlarmDescription)?.[1]?.replace(/\d+$/, '') ?? []);

describe('every alarm has a lever without a deployment', () => {
  test.each([...new Set(alarms)])('%s', (section) => {
    const commands = commandsOf(levers.get(section) ?? '');
    expect(commands).not.toEqual([]);
    for (const command of commands) expect(command).not.toMatch(/cdk|cloudformation|deploy/);
  });
});

describe('the commands of levers', () => {
  const all = [...levers.values()].flatMap(commandsOf);
  const names = (text: RegExp) => [
    ...new Set(all.flatMap((command) => [...command.matchAll(text)].map(([, name]) => name))),
  ];
  const service = JSON.stringify(eu.service.toJSON());
  const stateful = Object.keys(eu.stateful.toJSON()['Resources'] as object);

  test('name commands of the operator that exist', () => {
    for (const command of names(/^npm run operator -- (\S+)/g)) expect(operator).toContain(`\n  ${command} `);
  });

  test('name functions and schedules that the service stack has', () => {
    const named = names(/delivery-evidence-<stage>-([a-z-]+)/g).map((name) => `"delivery-evidence-eu-${name}"`);
    expect(named.filter((name) => !service.includes(name))).toEqual([]);
    expect(names(/\$\(mapping (\w+)\)/g).filter((name) => !service.includes(`"delivery-evidence-eu-${name}"`))).toEqual(
      [],
    );
  });

  test('name queues and keys that the stateful stack has', () => {
    expect(names(/\$\((?:queue|key) (\w+)\)/g).filter((name) => !stateful.includes(name ?? ''))).toEqual([]);
  });
});

test('each queue has an alarm: a dead-letter queue on its first message, every other one on the age of the oldest', () => {
  const watched = Object.values(resourcesOf<object>(eu.watch, 'AWS::CloudWatch::Alarm')).map((alarm) =>
    JSON.stringify(alarm),
  );
  for (const id of Object.keys(eu.stateful.findResources('AWS::SQS::Queue'))) {
    const metric = /^Dead|Failures$/.test(id) ? 'ApproximateNumberOfMessagesVisible' : 'ApproximateAgeOfOldestMessage';
    const found = watched.filter((alarm) => alarm.includes(`GetAtt${id}QueueName`) && alarm.includes(metric));
    expect([id, found.length]).toEqual([id, 1]);
  }
});
