import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LOG_LINES, RELAY_LINES, SIGNAL_LINES } from '#infra/constructs/log-lines.ts';
import { runtimeConsole } from '#infra/local/functions/runtime-console.ts';
import { apiIdParameter, functionName, logName } from '#infra/names.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { errorFacts } from '#shared/base/error-facts.ts';
import { messageLog, workerLog } from '#shared/base/log-lines.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { ObjectDiffers } from '#shared/bodies/object-errors.ts';
import { LogBehind } from '#shared/log/guard.ts';
import { LogDiffers } from '#shared/log/rules/log-differs.ts';
import { testId } from '#test/support/ids.ts';
import { isCounted } from './filter-pattern.ts';
import { resourcesOf, serviceTemplates, synthesize } from './synthesized.ts';

interface AlarmProperties {
  AlarmDescription: string;
  AlarmActions?: unknown[];
  Metrics?: unknown[];
}

const alarmsOf = (template: Template) => ({
  ...resourcesOf<AlarmProperties>(template, 'AWS::CloudWatch::Alarm'),
  ...resourcesOf<AlarmProperties>(template, 'AWS::CloudWatch::CompositeAlarm'),
});
/** Without the windows of other alarms, which mail nobody by themselves. */
const mailingAlarms = (template: Template) =>
  Object.values(alarmsOf(template)).filter(
    ({ AlarmDescription }) => !AlarmDescription.startsWith('A window of the alarm '),
  );
const { eu, us } = serviceTemplates(OPTIONAL_SETTINGS);
const runbook = readFileSync('docs/runbook.md', 'utf8');

/** The first paragraph of each section of the runbook, on one line, by the name of the section. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [name = '', , ...lines] = section.split('\n');
      return [name, lines.slice(0, lines.indexOf('')).join(' ')] as const;
    })
    // Names of alarms have no spaces. Other sections are about work that no alarm asks for.
    .filter(([name]) => !name.includes(' ')),
);

const alarms = mailingAlarms(eu.watch).map(({ AlarmDescription }) => {
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
    eu.watch.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'team@example.com' });
    for (const alarm of mailingAlarms(eu.watch)) expect(alarm.AlarmActions).toHaveLength(1);
    const mailed = Object.values(alarmsOf(eu.watch)).filter(({ AlarmActions }) => AlarmActions);
    expect(mailed).toHaveLength(alarms.length);
    us.watch.resourceCountIs('AWS::SNS::Topic', 0);
    for (const alarm of Object.values(alarmsOf(us.watch))) expect(alarm.AlarmActions).toBeUndefined();
  });

  test('may be published to its topic: the policy of the topic replaces the default that would allow it', () => {
    const topic = { Ref: Object.keys(eu.watch.findResources('AWS::SNS::Topic'))[0] };
    const account = { Ref: 'AWS::AccountId' };
    eu.watch.hasResourceProperties('AWS::SNS::TopicPolicy', {
      Topics: [topic],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: topic,
            Condition: {
              StringEquals: { 'aws:SourceAccount': account },
              ArnLike: {
                'aws:SourceArn': { 'Fn::Join': ['', ['arn:aws:cloudwatch:eu-central-1:', account, ':alarm:*']] },
              },
            },
          }),
        ]),
      },
    });
  });

  test('has at most ten metrics and their sum', () => {
    for (const { Metrics = [] } of Object.values(alarmsOf(eu.watch))) expect(Metrics.length).toBeLessThanOrEqual(11);
  });
});

test.each([
  { lines: RELAY_LINES, folders: ['functions/relay', 'shared'] },
  { lines: LOG_LINES, folders: ['functions/integrator', 'shared/log', 'functions/relay'] },
  { lines: SIGNAL_LINES, folders: ['functions/notifier', 'functions/operator', 'functions/relay'] },
])('the code in $folders writes each line that an alarm counts', ({ lines, folders }) => {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'));
  for (const line of Object.values<string>(lines)) {
    expect([line, sources.some((source) => source.includes(`'${line}'`))]).toEqual([line, true]);
  }
});

interface Filter {
  FilterPattern: string;
  LogGroupName: string;
  MetricTransformations: { MetricName: string }[];
}
const filters = Object.values(resourcesOf<Filter>(eu.watch, 'AWS::Logs::MetricFilter'));

describe('the metric filters', () => {
  /** The metrics that count a line. */
  const countersOf = (line: string) => [
    ...new Set(
      filters
        .filter(({ FilterPattern }) => isCounted(FilterPattern, line))
        .map(({ MetricTransformations: [metric] }) => metric?.MetricName),
    ),
  ];

  /** Returns the line that the log of a function in a region has after `write` ran in the function. */
  function storedLine(write: () => void): string {
    const lines: string[] = [];
    const keep = (line: string) => lines.push(line) > 0;
    const written = vi.spyOn(process.stdout, 'write').mockImplementation((line) => keep(String(line)));
    vi.stubGlobal('console', { ...console, ...runtimeConsole(() => 'call-1', keep) });
    onTestFinished(() => void vi.unstubAllGlobals());
    write();
    written.mockRestore();
    return lines.join('');
  }

  const LINES = { ...RELAY_LINES, ...LOG_LINES };
  const metrics: Record<keyof typeof LINES, string> = {
    lateEntries: 'LateEntries',
    lostEvents: 'LostEvents',
    failedSweeps: 'FailedSweeps',
    visits: 'VisitAge',
    setAside: 'SetAsideRecords',
    setAsideAgain: 'SetAsideRecords',
    unreadable: 'FailedIntegrations',
    notAppended: 'FailedIntegrations',
    notPublished: 'FailedIntegrations',
    differs: 'LogContradictions',
    missing: 'LogContradictions',
    broken: 'LogContradictions',
    late: 'CheckpointAge',
    witnessed: 'LogContradictions',
    notCosigned: 'CosignatureAge',
    differentPart: 'LogContradictions',
    notCompared: 'UncomparedLogs',
    longWalk: 'UncomparedLogs',
  };

  test.each(Object.entries(metrics))(
    'count a line as the runtime stores it, in one metric only: %s',
    (name, metric) => {
      const message = LINES[name as keyof typeof LINES];
      const line = storedLine(() => workerLog('call-1')(message, { organization: 'acme' }));
      expect(countersOf(line)).toEqual([metric]);
    },
  );

  test.each([
    new LogBehind(testId('o'), 1, 2),
    new LogDiffers(testId('o'), 'x'),
    new ObjectDiffers('log/o/tile/0/000'),
    new RecordDiffers('moment 3 of trail run', 'its texts and its header do not have its hash'),
  ])('count a line with the error of a contradiction: $name', (error) => {
    const line = storedLine(() => workerLog('call-1')(LOG_LINES.notAppended, errorFacts(error)));
    expect(countersOf(line)).toContain('LogContradictions');
  });

  test('count contradictions that the integrator, a sweep of the relay or a backfill of the operator finds', () => {
    const groups = filters
      .filter(({ MetricTransformations: [metric] }) => metric?.MetricName === 'LogContradictions')
      .map(({ LogGroupName }) => LogGroupName);
    expect(groups.toSorted()).toEqual(['integrator', 'operator', 'relay'].map((name) => logName('eu', name)));
  });

  test.each([
    { level: 'INFO', message: SIGNAL_LINES.operated, facts: { command: 'erase-body' }, metrics: ['ErasedEvidence'] },
    { level: 'INFO', message: SIGNAL_LINES.operated, facts: { command: 'issue-key' }, metrics: [] },
    { level: 'ERROR', message: SIGNAL_LINES.closed, facts: {}, metrics: ['ClosedTable'] },
    { level: 'INFO', message: SIGNAL_LINES.applied, facts: { records: 1 }, metrics: ['LateRecords', 'AppliedRecords'] },
    {
      level: 'INFO',
      message: SIGNAL_LINES.swept,
      facts: { deliveries_seconds: 0 },
      metrics: ['DueDeliveryAge', 'WaitingEvaluationAge', 'RunningExportAge', 'DueLookAge', 'PublicRootAge'],
    },
    {
      level: 'INFO',
      message: SIGNAL_LINES.delivery,
      facts: { target: 'EMAIL', outcome: 'failed' },
      metrics: ['FailedAttempts', 'RefusedMails'],
    },
    {
      level: 'INFO',
      message: SIGNAL_LINES.delivery,
      facts: { target: 'WEBHOOK', outcome: 'failed' },
      metrics: ['FailedAttempts'],
    },
    {
      level: 'INFO',
      message: SIGNAL_LINES.delivery,
      facts: { target: 'EMAIL', outcome: 'delivered' },
      metrics: ['SucceededAttempts'],
    },
  ] as const)('count a line by its facts: $message $facts', ({ level, message, facts, metrics: counted }) => {
    const line = storedLine(() => messageLog('relay')(level, message, { messageId: 'call-1' }, facts));
    expect(countersOf(line).toSorted()).toEqual([...counted].toSorted());
  });

  test('count no other line of the relay, and no text in front of which the runtime writes time and level', () => {
    expect(countersOf(storedLine(() => workerLog('call-1')('A record could not be read', {})))).toEqual([]);
    const text = JSON.stringify({ message: RELAY_LINES.lostEvents });
    expect(countersOf(`${text}\n`)).toHaveLength(1);
    expect(countersOf(storedLine(() => console.log(text)))).toEqual([]);
  });

  test('read logs whose format is text: the runtime stores lines of the standard output unchanged', () => {
    eu.service.allResourcesProperties('AWS::Lambda::Function', { LoggingConfig: { LogFormat: 'Text' } });
  });
});

test('each stage has a dashboard of its own', () => {
  for (const [stage, { watch }] of Object.entries({ eu, us })) {
    watch.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: `delivery-evidence-${stage}` });
  }
});

describe('the watch stack', () => {
  const { watch, service } = eu;
  const text = JSON.stringify(watch.toJSON());
  const namesOf = (type: string, name: string) =>
    Object.values(resourcesOf<Record<string, string>>(service, type)).map((properties) => properties[name]);

  test('holds every alarm, filter and dashboard, and the service stack none', () => {
    const types = [
      'AWS::CloudWatch::Alarm',
      'AWS::Logs::MetricFilter',
      'AWS::CloudWatch::Dashboard',
      'AWS::SNS::Topic',
    ];
    for (const type of types) {
      service.resourceCountIs(type, 0);
      expect(Object.keys(watch.findResources(type)).length).toBeGreaterThan(0);
    }
  });

  test('uses no export of the service stack, because an export that is in use cannot be changed', () => {
    const exported = Object.values(service.toJSON()['Outputs'] as Record<string, object>).filter(
      (output) => 'Export' in output,
    );
    expect(exported).toEqual([]);
    expect(text).not.toContain('delivery-evidence-eu-service:');
  });

  test('names functions, logs and schedules that the service stack has, and shows every function', () => {
    const functions = new Set(namesOf('AWS::Lambda::Function', 'FunctionName'));
    const named = [
      ...text.matchAll(/FunctionName\\*",\\*"([a-z-]+)/g),
      ...text.matchAll(/"Name":"FunctionName","Value":"([a-z-]+)"/g),
    ];
    const watched = new Set(named.map(([, name]) => name));
    expect([...watched].filter((name) => !functions.has(name ?? ''))).toEqual([]);
    expect([...functions].filter((name) => !watched.has(name))).toEqual([functionName('eu', 'operator')]);
    expect(namesOf('AWS::Logs::LogGroup', 'LogGroupName')).toEqual(
      expect.arrayContaining(filters.map(({ LogGroupName }) => LogGroupName)),
    );
    const rules = [...text.matchAll(/"Name":"RuleName","Value":"([a-z-]+)"/g)].map(([, name]) => name);
    const own = Object.values(resourcesOf<{ Name: string }>(watch, 'AWS::Events::Rule')).map(({ Name }) => Name);
    expect(rules).toHaveLength(3);
    expect([...namesOf('AWS::Events::Rule', 'Name'), ...own]).toEqual(expect.arrayContaining(rules));
  });

  test('reads the id of the API from the parameter that the service stack writes', () => {
    service.hasResourceProperties('AWS::SSM::Parameter', {
      Name: apiIdParameter('eu'),
      Value: { Ref: Match.anyValue() },
    });
    const parameters = Object.values(watch.toJSON()['Parameters'] as Record<string, object>);
    expect(parameters).toContainEqual({ Type: 'AWS::SSM::Parameter::Value<String>', Default: apiIdParameter('eu') });
  });

  test('shows the restored table if the service uses one', () => {
    const stream = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-21T00:00:00.000';
    const restored = JSON.stringify(synthesize([], { eu: { restoredTableStream: stream } }).eu.watch.toJSON());
    expect(restored).toContain('TableName\\",\\"restored');
  });
});
