import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { loadJq } from '#shared/engines/jq-instance.ts';
import { resourcesOf, synthesize } from '../synthesized.ts';

const { eu, us } = synthesize([], { eu: { dataEventsDays: 30 } });
const bucket = { Ref: 'DataEventsBucket' };
const arn = { 'Fn::GetAtt': ['DataEventsBucket', 'Arn'] };

describe('a stage with dataEventsDays', () => {
  test('records each write to its table and its bucket, and nothing else, with signed digests', () => {
    const writesTo = (type: string, resources: object) => ({
      FieldSelectors: [
        { Field: 'eventCategory', Equals: ['Data'] },
        { Field: 'resources.type', Equals: [type] },
        { Field: 'resources.ARN', ...resources },
        { Field: 'readOnly', Equals: ['false'] },
      ],
    });
    eu.stateful.hasResourceProperties('AWS::CloudTrail::Trail', {
      IsLogging: true,
      EnableLogFileValidation: true,
      S3BucketName: bucket,
      AdvancedEventSelectors: [
        Match.objectLike(writesTo('AWS::DynamoDB::Table', { Equals: [{ 'Fn::GetAtt': ['EvidenceTable', 'Arn'] }] })),
        Match.objectLike(
          writesTo('AWS::S3::Object', {
            StartsWith: [{ 'Fn::Join': ['', [{ 'Fn::GetAtt': ['EvidenceBucket', 'Arn'] }, '/']] }],
          }),
        ),
      ],
    });
  });

  test('keeps the records so long in a bucket of their own: private, encrypted, with versions, kept with its policy', () => {
    eu.stateful.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        LifecycleConfiguration: {
          Rules: Match.arrayWith([
            {
              Id: 'forget-data-events',
              Status: 'Enabled',
              ExpirationInDays: 30,
              NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            },
          ]),
        },
      },
    });
    expect(Object.keys(resourcesOf(eu.stateful, 'AWS::S3::Bucket')).toSorted()).toEqual([
      'DataEventsBucket',
      'EvidenceBucket',
    ]);
    eu.stateful.allResources('AWS::S3::BucketPolicy', {
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('lets only its own trail write records, and refuses requests without TLS', () => {
    const trail = {
      'Fn::Join': [
        '',
        ['arn:aws:cloudtrail:eu-central-1:', { Ref: 'AWS::AccountId' }, ':trail/delivery-evidence-eu-data-events'],
      ],
    };
    eu.stateful.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: bucket,
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({ Effect: 'Deny', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } }),
          {
            Sid: 'TrailMayAsk',
            Effect: 'Allow',
            Principal: { Service: 'cloudtrail.amazonaws.com' },
            Action: 's3:GetBucketAcl',
            Resource: arn,
            Condition: { StringEquals: { 'aws:SourceArn': trail } },
          },
          {
            Sid: 'TrailMayWrite',
            Effect: 'Allow',
            Principal: { Service: 'cloudtrail.amazonaws.com' },
            Action: 's3:PutObject',
            Resource: { 'Fn::Join': ['', [arn, '/AWSLogs/', { Ref: 'AWS::AccountId' }, '/*']] },
            Condition: { StringEquals: { 'aws:SourceArn': trail, 's3:x-amz-acl': 'bucket-owner-full-control' } },
          },
        ],
      },
    });
    eu.stateful.hasResource('AWS::CloudTrail::Trail', {
      DependsOn: Object.keys(resourcesOf(eu.stateful, 'AWS::S3::BucketPolicy')).filter((id) => /DataEvents/.test(id)),
    });
  });
});

test('a stage without dataEventsDays records nothing', () => {
  us.stateful.resourceCountIs('AWS::CloudTrail::Trail', 0);
  us.stateful.resourceCountIs('AWS::S3::Bucket', 1);
});

describe('the queries of the runbook for data events', async () => {
  const section = /^## LogsContradict\n(.*?)^## /ms.exec(readFileSync('docs/runbook.md', 'utf8'))?.[1] ?? '';
  const [writers = '', item = ''] = [...section.matchAll(/jq -r '([^']+)'/g)].map(([, program = '']) => program);
  const jq = await (await loadJq(createRequire(import.meta.url).resolve('jq-web'), 64))();
  const query = (program: string) => jq.run(records, program).trim().split('\n');

  test('name each writer', () => {
    expect(query(writers)).toEqual([`"${RELAY}"`, `"${INTRUDER}"`, '"s3.amazonaws.com"']);
  });

  test('list the writes that name an item, with the time, the writer and where the call came from', () => {
    expect(query(item.replace('SORT_KEY', '0000000007'))).toEqual([
      '"2026-11-28T10:00:02Z\\tPutItem\\tarn:aws:iam::123456789012:user/mallory\\t198.51.100.7\\tR2"',
    ]);
  });
});

const RELAY = 'arn:aws:iam::123456789012:role/delivery-evidence-eu-service-RelayRole-1';
const INTRUDER = 'arn:aws:iam::123456789012:user/mallory';

/** Records in the form that the documentation of CloudTrail shows: a call of a role, of a user and of a service. */
const records = JSON.stringify({
  Records: [
    {
      eventTime: '2026-11-28T10:00:01Z',
      eventName: 'UpdateItem',
      userIdentity: {
        type: 'AssumedRole',
        arn: 'arn:aws:sts::123456789012:assumed-role/delivery-evidence-eu-service-RelayRole-1/delivery-evidence-eu-relay',
        sessionContext: { sessionIssuer: { type: 'Role', arn: RELAY } },
      },
      sourceIPAddress: '203.0.113.1',
      requestParameters: { tableName: 'evidence', key: { pk: 'o#FLOW#f', sk: 'ACTIVITY' } },
      requestID: 'R1',
    },
    {
      eventTime: '2026-11-28T10:00:02Z',
      eventName: 'PutItem',
      userIdentity: { type: 'IAMUser', arn: INTRUDER },
      sourceIPAddress: '198.51.100.7',
      requestParameters: { tableName: 'evidence', key: { pk: 'o#MOMENT#f#run', sk: '0000000007' } },
      requestID: 'R2',
    },
    {
      eventTime: '2026-11-28T10:00:03Z',
      eventName: 'DeleteObject',
      userIdentity: { type: 'AWSService', invokedBy: 's3.amazonaws.com' },
      sourceIPAddress: 's3.amazonaws.com',
      requestParameters: { bucketName: 'evidence', key: 'uploads/1' },
      requestID: 'R3',
    },
  ],
});
