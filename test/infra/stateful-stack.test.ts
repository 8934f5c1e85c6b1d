import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { createApp, Region } from '#infra/deployment.ts';
import { DEFAULT_STAGES, readStages } from '#infra/stages/stages.ts';
import { writeEmptyZip } from '#infra/templates.ts';
import { EXPORT_KEPT_DAYS } from '#shared/exports/rules/life-of-an-export.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { createTableInput, TABLE } from '#shared/table/table-definition.ts';
import { resourcesOf, synthesize, temporaryFolder } from './synthesized.ts';

const { eu, us } = synthesize([]);
const template = eu.stateful;
const folder = temporaryFolder('protection-');

/** Types of resources whose content cannot be created again. */
const STATEFUL_TYPES = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key', 'AWS::SQS::Queue'];

/** Kept when it leaves the stack, unless it was made by a first deployment that failed. */
const KEPT = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

describe('every resource with a state', () => {
  test('has a fixed logical id', () => {
    const ids = STATEFUL_TYPES.map((type) => [type, Object.keys(resourcesOf(template, type))]);
    expect(Object.fromEntries(ids)).toEqual({
      'AWS::DynamoDB::Table': ['EvidenceTable'],
      'AWS::S3::Bucket': ['EvidenceBucket'],
      'AWS::KMS::Key': ['EvidenceKey', 'LogKey', 'WitnessKey', 'StatementKey'],
      'AWS::SQS::Queue': [
        'RelayFailures',
        ...['DeadDeliveries', 'Deliveries', 'DeadExpansions', 'Expansions', 'DeadEvaluations', 'Evaluations'],
        ...['DeadLogEntries', 'LogEntries', 'DeadExports', 'Exports', 'DeadVisits', 'Visits'],
      ],
    });
  });

  test.each(STATEFUL_TYPES)('is kept when it is removed from the stack: %s', (type) => {
    template.allResources(type, KEPT);
  });

  test.each(['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'])(
    'keeps its policy, so that requests without TLS stay refused: %s',
    (type) => {
      template.allResources(type, KEPT);
    },
  );

  test('is in the stateful stack, which has termination protection', () => {
    for (const type of STATEFUL_TYPES) eu.service.resourceCountIs(type, 0);
    const app = createApp({ outdir: folder });
    const zip = writeEmptyZip(folder);
    for (const stage of readStages(DEFAULT_STAGES, 'cdk.json')) {
      const { stateful } = new Region(app, { stage, groups: [], zipOf: () => zip });
      expect(stateful.terminationProtection).toBe(true);
    }
  });

  test('is the same in both regions, except for the names of the roles that sign', () => {
    const text = JSON.stringify(us.stateful.toJSON()['Resources']).replaceAll(
      ':role/delivery-evidence-us-',
      ':role/delivery-evidence-eu-',
    );
    expect(JSON.parse(text)).toEqual(eu.stateful.toJSON()['Resources']);
  });
});

describe('the table', () => {
  test('has deletion protection, point-in-time recovery, and is encrypted with our key', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
      SSESpecification: {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: { 'Fn::GetAtt': ['EvidenceKey', 'Arn'] },
      },
    });
  });

  test('has the keys, the stream and the time to live of the local table, and no index', () => {
    const { KeySchema, AttributeDefinitions, BillingMode, StreamSpecification } = createTableInput('any');
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema,
      AttributeDefinitions,
      BillingMode,
      StreamSpecification: { StreamViewType: StreamSpecification?.StreamViewType },
      TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
      GlobalSecondaryIndexes: Match.absent(),
      LocalSecondaryIndexes: Match.absent(),
    });
  });
});

describe('the evidence bucket', () => {
  test('is versioned, private and encrypted with our key, with a bucket key', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: {
              SSEAlgorithm: 'aws:kms',
              KMSMasterKeyID: { 'Fn::GetAtt': ['EvidenceKey', 'Arn'] },
            },
          },
        ],
      },
    });
  });

  test('refuses requests without TLS 1.2, and its policy is kept when the stack is deleted', () => {
    const denied = (Condition: object) =>
      Match.objectLike({ Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' }, Condition });
    template.hasResource('AWS::S3::BucketPolicy', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        PolicyDocument: {
          Statement: Match.arrayWith([
            denied({ Bool: { 'aws:SecureTransport': 'false' } }),
            denied({ NumericLessThan: { 's3:TlsVersion': 1.2 } }),
          ]),
        },
      },
    });
  });

  test('deletes uploads after two days, exports after seven, and nothing else', () => {
    const buckets = resourcesOf<{ LifecycleConfiguration: { Rules: Record<string, unknown>[] } }>(
      template,
      'AWS::S3::Bucket',
    );
    const rules = Object.values(buckets).flatMap(({ LifecycleConfiguration }) => LifecycleConfiguration.Rules);
    expect(rules).toContainEqual({
      Id: 'forget-uploads',
      Status: 'Enabled',
      Prefix: 'uploads/',
      ExpirationInDays: 2,
      NoncurrentVersionExpiration: { NoncurrentDays: 2 },
    });
    expect(rules).toContainEqual({
      Id: 'forget-exports',
      Status: 'Enabled',
      Prefix: 'exports/',
      ExpirationInDays: EXPORT_KEPT_DAYS,
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    });
    const expiring = rules.filter((rule) => Object.keys(rule).some((name) => /Expir|Transition/.test(name)));
    expect(new Set(expiring.map((rule) => rule['Prefix']))).toEqual(new Set(['uploads/', 'exports/']));
  });

  test('accepts upload forms from pages of the allowed origins, and no other request of pages', () => {
    const lists = synthesize([], { eu: { uploadOrigins: 'https://ci.example.com' } });
    lists.eu.stateful.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [Match.objectLike({ AllowedMethods: ['POST'], AllowedOrigins: ['https://ci.example.com'] })],
      },
    });
  });

  test('can lock single objects if the stage says so, and has no default lock', () => {
    const lockable = (stateful: Template, ObjectLockEnabled: unknown) =>
      stateful.hasResourceProperties('AWS::S3::Bucket', {
        ObjectLockEnabled,
        ObjectLockConfiguration: Match.absent(),
      });
    const locked = synthesize([], { eu: { objectLock: true } });
    lockable(locked.eu.stateful, true);
    lockable(locked.us.stateful, Match.absent());
  });
});

test('the key of table and bucket is rotated every year', () => {
  template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
});

describe('the keys that sign', () => {
  const keys = resourcesOf<{
    KeySpec: string;
    KeyUsage: string;
    KeyPolicy: { Statement: { Action: string | string[]; Condition?: object }[] };
  }>(template, 'AWS::KMS::Key');

  test.each([
    ['LogKey', 'ECC_NIST_EDWARDS25519', 'ED25519_SHA_512', 'RAW', 'integrator'],
    ['WitnessKey', 'ECC_NIST_EDWARDS25519', 'ED25519_SHA_512', 'RAW', 'witness'],
    ['StatementKey', 'ECC_NIST_P256', 'ECDSA_SHA_256', 'DIGEST', 'statements'],
  ])('sign in one way, and only for the role of one function: %s', (id, KeySpec, algorithm, messageType, signer) => {
    const key = keys[id];
    expect(key).toMatchObject({ KeySpec, KeyUsage: 'SIGN_VERIFY' });
    const signing = key?.KeyPolicy.Statement.filter(({ Action }) => [Action].flat().some(maySign)) ?? [];
    expect(signing).toMatchObject([
      {
        Action: 'kms:Sign',
        Condition: {
          StringEquals: { 'kms:SigningAlgorithm': algorithm, 'kms:MessageType': messageType },
          ArnEquals: {
            'aws:PrincipalArn': {
              'Fn::Join': ['', ['arn:aws:iam::', { Ref: 'AWS::AccountId' }, `:role/delivery-evidence-eu-${signer}`]],
            },
          },
        },
      },
    ]);
  });

  /** Whether a pattern for actions contains the action to sign. */
  const maySign = (pattern: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test('kms:Sign');
});

test.each([
  ['Deliveries', DELIVERIES_QUEUE],
  ['Expansions', EXPANSIONS_QUEUE],
  ['Evaluations', EVALUATIONS_QUEUE],
  ['LogEntries', LOG_ENTRIES_QUEUE],
  ['Exports', EXPORTS_QUEUE],
])(
  'the queue %s hides a message during its call, and moves it to the dead letters after the last receipt',
  (id, queue) => {
    const { [id]: properties } = resourcesOf<object>(template, 'AWS::SQS::Queue');
    expect(properties).toMatchObject({
      VisibilityTimeout: queue.visibility,
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [`Dead${id}`, 'Arn'] }, maxReceiveCount: queue.receipts },
    });
  },
);

test('the queue of failed batches of the relay is encrypted, accepts TLS only, and keeps messages for two weeks', () => {
  template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
  template.hasResourceProperties('AWS::SQS::QueuePolicy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({
          Effect: 'Deny',
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      ],
    },
  });
});
