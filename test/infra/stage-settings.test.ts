import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { RELAY_SOURCE } from '#infra/event-source.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { resourcesOf, synthesize } from './synthesized.ts';

const BOUNDARY = 'arn:aws:iam::123456789012:policy/boundary';
const VAULT = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:evidence';
const { eu: tuned, us } = synthesize([], {
  eu: {
    deliveriesConcurrency: 7,
    expansionsConcurrency: 6,
    evaluationsConcurrency: 5,
    logEntriesConcurrency: 3,
    exportsConcurrency: 2,
    visitsConcurrency: 4,
    streamParallelization: 10,
    backupVaultArn: VAULT,
    replicaBucketArn: 'arn:aws:s3:::evidence-copies',
    replicaKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555',
    tableReadUnits: 4000,
    tableWriteUnits: 1000,
    tags: { team: 'delivery' },
    permissionsBoundary: BOUNDARY,
    rootRepository: 'none',
  },
});

interface Mapping {
  ScalingConfig?: { MaximumConcurrency: number };
  ParallelizationFactor?: number;
}

/** Returns how many calls the event sources of a stack make at once, the largest number first. */
function callsIn(service: Template): number[] {
  const mappings = Object.values(resourcesOf<Mapping>(service, 'AWS::Lambda::EventSourceMapping'));
  const calls = mappings.flatMap(
    ({ ScalingConfig, ParallelizationFactor }) => ScalingConfig?.MaximumConcurrency ?? ParallelizationFactor ?? [],
  );
  return calls.toSorted((a, b) => b - a);
}

const rolesOf = (service: Template) =>
  Object.values(resourcesOf<{ PermissionsBoundary?: unknown }>(service, 'AWS::IAM::Role'));

describe('the settings of a stage', () => {
  test('switch the refresh of the public root off: no schedule, no setting, no alarm, and no call reserved for it', () => {
    const parts = ({ service, watch }: typeof us) => [
      Object.values(resourcesOf<{ ScheduleExpression?: string }>(service, 'AWS::Events::Rule')).filter(
        ({ ScheduleExpression }) => ScheduleExpression === 'rate(1 hour)',
      ).length,
      JSON.stringify(service.toJSON()).split('ROOT_REPOSITORY').length - 1,
      JSON.stringify(watch.toJSON()).includes('#publicrootold'),
    ];
    expect([parts(tuned), parts(us)]).toEqual([
      [0, 0, false],
      [1, 1, true],
    ]);
  });

  test('say how many calls the queues and the stream make at once', () => {
    expect(callsIn(tuned.service)).toEqual([10, 7, 6, 5, 4, 3, 2]);
    const queues = [
      DELIVERIES_QUEUE,
      EXPANSIONS_QUEUE,
      EVALUATIONS_QUEUE,
      LOG_ENTRIES_QUEUE,
      EXPORTS_QUEUE,
      VISITS_QUEUE,
    ];
    const defaults = [...queues.map(({ calls }) => calls), RELAY_SOURCE.parallel];
    expect(callsIn(us.service)).toEqual(defaults.toSorted((a, b) => b - a));
  });

  test('copy the table each night and replicate evidence, and no copy is made without them', () => {
    tuned.stateful.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [
          {
            Lifecycle: { DeleteAfterDays: 35 },
            CopyActions: [{ DestinationBackupVaultArn: VAULT, Lifecycle: { DeleteAfterDays: 35 } }],
          },
        ],
      },
    });
    const rules = ['evidence/', 'bodies/', 'log/'].map((Prefix) =>
      Match.objectLike({
        Status: 'Enabled',
        Filter: { Prefix },
        SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
        DeleteMarkerReplication: { Status: 'Disabled' },
      }),
    );
    tuned.stateful.hasResourceProperties('AWS::S3::Bucket', { ReplicationConfiguration: { Rules: rules } });
    us.stateful.resourceCountIs('AWS::Backup::BackupPlan', 0);
    us.stateful.hasResourceProperties('AWS::S3::Bucket', { ReplicationConfiguration: Match.absent() });
  });

  test('reserve executions for as many calls as the queues make', () => {
    const functions = resourcesOf<{ FunctionName: string; ReservedConcurrentExecutions?: number }>(
      tuned.service,
      'AWS::Lambda::Function',
    );
    const reserved = Object.values(functions).flatMap(({ FunctionName, ReservedConcurrentExecutions }) =>
      ReservedConcurrentExecutions === undefined ? [] : [[FunctionName, ReservedConcurrentExecutions]],
    );
    expect(Object.fromEntries(reserved)).toEqual({
      'delivery-evidence-eu-notifier': 7,
      'delivery-evidence-eu-integrator': 4,
    });
  });

  test('limit what the table serves in a second, or leave it to the account', () => {
    const limit = { MaxReadRequestUnits: 4000, MaxWriteRequestUnits: 1000 };
    tuned.stateful.hasResourceProperties('AWS::DynamoDB::Table', { OnDemandThroughput: limit });
    const [table] = Object.values(resourcesOf<object>(us.stateful, 'AWS::DynamoDB::Table'));
    expect(table).not.toHaveProperty('OnDemandThroughput');
  });

  test('tag every resource that has tags', () => {
    for (const [template, type] of [
      [tuned.stateful, 'AWS::DynamoDB::Table'],
      [tuned.stateful, 'AWS::SQS::Queue'],
      [tuned.service, 'AWS::Lambda::Function'],
      [tuned.service, 'AWS::Logs::LogGroup'],
      [tuned.watch, 'AWS::CloudWatch::Alarm'],
    ] as const) {
      template.allResourcesProperties(type, { Tags: [{ Key: 'team', Value: 'delivery' }] });
    }
    // cfn-lint refuses tags of a dashboard.
    tuned.watch.allResourcesProperties('AWS::CloudWatch::Dashboard', { Tags: Match.absent() });
  });

  test('give every role a permissions boundary', () => {
    expect(rolesOf(tuned.service).length).toBeGreaterThan(5);
    for (const role of rolesOf(tuned.service)) expect(role.PermissionsBoundary).toBe(BOUNDARY);
    for (const role of rolesOf(us.service)) expect(role.PermissionsBoundary).toBeUndefined();
  });
});

describe('the permissions boundary as a flag', () => {
  const KEY = '@aws-cdk/core:permissionsBoundary';
  const boundaries = (flag: unknown, eu = {}) =>
    new Set(
      rolesOf(synthesize([], { eu }, { [KEY]: flag }).eu.service).map(({ PermissionsBoundary }) =>
        JSON.stringify(PermissionsBoundary),
      ),
    );

  test.each([
    ['an ARN', BOUNDARY, JSON.stringify(BOUNDARY)],
    ['an object in cdk.json', { arn: BOUNDARY }, JSON.stringify(BOUNDARY)],
  ])('works with %s', (_, flag, boundary) => {
    expect(boundaries(flag)).toEqual(new Set([boundary]));
  });

  test('works with a name', () => {
    const [boundary, ...others] = boundaries('boundary');
    expect(others).toEqual([]);
    expect(boundary).toMatch(/:policy\/boundary"/);
  });

  test('gives way to the setting of the stage', () => {
    expect(boundaries('other', { permissionsBoundary: BOUNDARY })).toEqual(new Set([JSON.stringify(BOUNDARY)]));
  });
});
