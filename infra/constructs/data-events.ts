import { type Duration, Stack } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { trailName } from '../names.ts';
import { acceptFinding } from '../policy-checks.ts';
import { KEPT } from './kept.ts';
import { pinLogicalId } from './pin-logical-id.ts';

/**
 * Records each call that writes to the table or to the bucket in a bucket of its own. Calls of functions, people and other programs
 * are recorded alike (docs/deploying.md#data-events).
 *
 * @param kept how long a record is kept
 */
export function recordDataEvents(
  scope: Construct,
  { table, bucket }: { table: ITable; bucket: IBucket },
  { stageName, kept }: { stageName: string; kept: Duration },
): void {
  const records = createBucket(scope, kept);
  const name = trailName(stageName);
  const trail = new CfnTrail(scope, 'DataEvents', {
    trailName: name,
    isLogging: true,
    s3BucketName: records.bucketName,
    // Signed digests: a record that somebody changed or removed is found (`aws cloudtrail validate-logs`).
    enableLogFileValidation: true,
    isMultiRegionTrail: false,
    includeGlobalServiceEvents: false,
    advancedEventSelectors: [
      writesTo('the table', 'AWS::DynamoDB::Table', { equalTo: [table.tableArn] }),
      writesTo('the bucket', 'AWS::S3::Object', { startsWith: [bucket.arnForObjects('')] }),
    ],
  });
  // CloudTrail writes an object when the trail is created, so the bucket must allow it before.
  trail.node.addDependency(letTrailWrite(records, name));
}

const writesTo = (
  what: string,
  type: string,
  arn: Partial<CfnTrail.AdvancedFieldSelectorProperty>,
): CfnTrail.AdvancedEventSelectorProperty => ({
  name: `Writes to ${what}`,
  fieldSelectors: [
    { field: 'eventCategory', equalTo: ['Data'] },
    { field: 'resources.type', equalTo: [type] },
    { field: 'resources.ARN', ...arn },
    { field: 'readOnly', equalTo: ['false'] },
  ],
});

/** The key of table and bucket does not encrypt the records. Otherwise a person who may disable this key could end the recording. */
function createBucket(scope: Construct, kept: Duration): Bucket {
  const bucket = new Bucket(scope, 'DataEventsBucket', {
    versioned: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    removalPolicy: KEPT,
    lifecycleRules: [
      { id: 'forget-data-events', expiration: kept, noncurrentVersionExpiration: kept },
      { id: 'forget-markers', expiredObjectDeleteMarker: true },
    ],
  });
  acceptFinding(bucket, 'S1', 'The bucket itself holds records of calls. CloudTrail signs digests of them.');
  pinLogicalId(bucket, 'DataEventsBucket');
  return bucket;
}

/** Lets one trail of this account write records. @returns the policy of the bucket */
function letTrailWrite(bucket: Bucket, name: string): Construct {
  const { account } = Stack.of(bucket);
  const principals = [new ServicePrincipal('cloudtrail.amazonaws.com')];
  const trail = Stack.of(bucket).formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: name });
  const ofTrail = { 'aws:SourceArn': trail };
  bucket.addToResourcePolicy(
    new PolicyStatement({
      sid: 'TrailMayAsk',
      principals,
      actions: ['s3:GetBucketAcl'],
      resources: [bucket.bucketArn],
      conditions: { StringEquals: ofTrail },
    }),
  );
  bucket.addToResourcePolicy(
    new PolicyStatement({
      sid: 'TrailMayWrite',
      principals,
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects(`AWSLogs/${account}/*`)],
      conditions: { StringEquals: { ...ofTrail, 's3:x-amz-acl': 'bucket-owner-full-control' } },
    }),
  );
  const { policy } = bucket;
  if (!policy) throw new Error(`${bucket.node.path} has no policy`);
  policy.applyRemovalPolicy(KEPT);
  return policy;
}
