import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { apiKeyKey } from '#shared/organizations/records/keys.ts';
import { BUCKET_PREFIXES, type BucketPrefix, type Family, type Uses } from '#shared/table/uses.ts';
import { excuse } from '../policy-checks.ts';
import type { Evidence } from './evidence-store.ts';

/** An organization's id, whose length is fixed: a pattern that spells it out cannot match further on in a key. */
const ANY_ORGANIZATION = ['????????', '????', '????', '????', '????????'].join('-');

/** Patterns of the partition keys of a family; what is in them is by `shared/table/keys.ts`. */
export const partitionPatterns = (family: Family): string[] => {
  const start = family.startsWith('@') ? family : `${ANY_ORGANIZATION}#${family}`;
  return [start, `${start}#*`];
};

/**
 * Lets a function read the table and use of it and of the bucket what it declares; tells it where they are.
 *
 * @param serves `callers` whose keys it checks: to note a key's use is the one write that needs no declaration
 *   (design §3, «Authentication»); `operators`, who come by IAM; or `nobody`, who needs the bucket only to use it
 */
export function grantUses(
  store: Evidence,
  user: LambdaFunction,
  uses: Uses,
  serves: 'callers' | 'operators' | 'nobody',
): void {
  user.addEnvironment('TABLE_NAME', store.table.tableName);
  if (serves !== 'nobody' || uses.bucket?.length) user.addEnvironment('BUCKET_NAME', store.bucket.bucketName);
  const allow = (sid: string, actions: string[], resources: string[], families?: readonly Family[]) =>
    user.addToRolePolicy(
      new PolicyStatement({ sid, actions, resources, ...(families && { conditions: onlyPartitions(families) }) }),
    );
  const table = [store.table.tableArn];
  const { writes = [], batches = [], removes = [] } = uses;

  allow('ReadItems', ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], table);
  if (serves === 'callers') {
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'NoteUseOfApiKey',
        actions: ['dynamodb:UpdateItem'],
        resources: table,
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [apiKeyKey('*').pk] } },
      }),
    );
  }
  if (writes.length > 0) {
    allow('WriteItems', ['dynamodb:PutItem', 'dynamodb:UpdateItem'], table, writes);
    allow('CheckItems', ['dynamodb:ConditionCheckItem'], table);
  }
  if (batches.length > 0) allow('WriteBatches', ['dynamodb:BatchWriteItem'], table, batches);
  if (removes.length > 0) allow('RemoveItems', ['dynamodb:DeleteItem'], table, removes);
  grantBucket(store, user, uses);
  grantKey(store, user, uses);
}

const onlyPartitions = (families: readonly Family[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': families.flatMap(partitionPatterns) },
});

function grantBucket(store: Evidence, user: LambdaFunction, { bucket = [] }: Uses): void {
  const reaches = (kind: 'read' | 'write'): BucketPrefix[] =>
    BUCKET_PREFIXES.filter((prefix) => bucket.includes(`${prefix}:${kind}`));
  const objects = (prefixes: readonly BucketPrefix[]) =>
    prefixes.map((prefix) => store.bucket.arnForObjects(`${prefix}/*`));
  const [reads, writes] = [reaches('read'), reaches('write')];
  for (const prefix of new Set([...reads, ...writes])) {
    excuse(
      user.role ?? user,
      `IAM5[Resource::${Stack.of(store.bucket).stackName}:${BUCKET_EXPORT}/${prefix}/*]`,
      'Objects are named after organizations and digests; the prefix is what a function can be held to.',
    );
  }
  if (reads.length > 0) {
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'ReadObjects',
        // Pointers to bodies name a version (design §2.10).
        actions: ['s3:GetObject', 's3:GetObjectVersion'],
        resources: objects(reads),
      }),
    );
  }
  if (reads.includes('uploads')) {
    // Without it the bucket answers 403 instead of 404 for an object that is not there, and a missing upload could not
    // be told from a fault.
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'TellMissingObjects',
        actions: ['s3:ListBucket'],
        resources: [store.bucket.bucketArn],
      }),
    );
  }
  if (writes.length > 0) {
    user.addToRolePolicy(
      new PolicyStatement({ sid: 'WriteObjects', actions: ['s3:PutObject'], resources: objects(writes) }),
    );
  }
}

/** Under which name the stacks hand on the bucket's ARN: it follows from the bucket's logical id, which is pinned. */
const BUCKET_EXPORT = 'ExportsOutputFnGetAttEvidenceBucketArnBD2E6DE5';

/** What the table and the bucket do with the key in the name of whoever uses them. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The key opens what it encrypts only through the services that hold it, and only where a right on those says so. */
function grantKey(store: Evidence, user: LambdaFunction, { bucket = [] }: Uses): void {
  const { region } = Stack.of(user);
  const services = ['dynamodb', ...(bucket.length > 0 ? ['s3'] : [])];
  user.addToRolePolicy(
    new PolicyStatement({
      sid: 'UseKey',
      actions: KEY_ACTIONS,
      resources: [store.key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': services.map((name) => `${name}.${region}.amazonaws.com`) } },
    }),
  );
}
