import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { keyUseKey } from '#shared/organizations/records/keys.ts';
import { limitKey, tableStateKey } from '#shared/table/keys.ts';
import { BUCKET_PREFIXES, type BucketPrefix, type Family, familyOf, onlyReads, type Uses } from '#shared/table/uses.ts';
import { acceptFinding } from '../policy-checks.ts';
import { SECRET_FAMILIES } from '../secret-families.ts';
import type { Evidence } from './evidence-store.ts';
import type { ServiceFunction } from './service-function.ts';
import { grantSigningKeys } from './signing-keys.ts';

/** A pattern for the id of an organization. It spells out the fixed length, because `*` would also match `#`. */
const ANY_ORGANIZATION = ['????????', '????', '????', '????', '????????'].join('-');

/**
 * Reads many partitions with one statement (rules/storage.md#many-partitions). A statement without partition keys would
 * scan the table, so such statements are denied.
 */
const SELECT = 'dynamodb:PartiQLSelect';

/** Returns the patterns that match all partition keys of a record family (rules/storage.md#keys). */
export const partitionPatterns = (family: Family): string[] => {
  const start = family.startsWith('@') ? family : `${ANY_ORGANIZATION}#${family}`;
  return [start, `${start}#*`];
};

/**
 * Grants a function the right to read the table and the rights that its uses declare (rules/storage.md#rights-to-read). Puts
 * the names of table and bucket into the function's settings.
 *
 * @param serves who calls the function. For `callers` it checks API keys. Recording the last use of a key and counting requests
 *   are the writes that need no declaration (rules/organizations.md#last-use, rules/requests.md#limits-of-organizations). `operators` come through IAM. A function for
 *   `nobody` gets the bucket's name only if it declares a use of the bucket. A function for `anybody` has public endpoints
 *   only: it reads the families that it declares to read or to write. Without uses it has neither rights nor settings
 */
export function grantUses(
  store: Evidence,
  user: ServiceFunction,
  uses: Uses,
  serves: 'callers' | 'operators' | 'nobody' | 'anybody',
): void {
  if (serves === 'anybody' && Object.values(uses).every(({ length }) => length === 0)) return;
  user.addEnvironment('TABLE_NAME', store.table.tableName);
  const isReader = serves === 'nobody' || (serves === 'anybody' && onlyReads(uses));
  if (!isReader || uses.bucket?.length) user.addEnvironment('BUCKET_NAME', store.bucket.bucketName);
  const allow = (sid: string, actions: string[], resources: string[], families?: readonly Family[]) =>
    user.addToRolePolicy(
      new PolicyStatement({ sid, actions, resources, ...(families && { conditions: onlyPartitions(families) }) }),
    );
  const table = [store.table.tableArn];
  const { reads = [], selects = [], writes = [], batches = [], removes = [], checks = [] } = uses;

  if (serves === 'anybody') {
    const families = [...new Set([STATE_FAMILY, ...reads, ...selects, ...writes])].toSorted();
    allow('ReadItems', READS, table, families);
    if (selects.length > 0) allow('ReadPartitions', [SELECT], table, selects);
  } else {
    allow('ReadItems', [...READS, SELECT], table);
    refuseSecrets(user, store.table.tableArn, reads);
  }
  if (serves !== 'anybody' || selects.length > 0) refuseScans(user, store.table.tableArn);
  if (serves === 'callers') {
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'NoteUse',
        actions: ['dynamodb:UpdateItem'],
        resources: table,
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keyUseKey('*').pk, limitKey('*').pk] } },
      }),
    );
  }
  if (writes.length > 0) allow('WriteItems', ['dynamodb:PutItem', 'dynamodb:UpdateItem'], table, writes);
  if (checks.length > 0) allow('CheckItems', ['dynamodb:ConditionCheckItem'], table, checks);
  if (batches.length > 0) allow('WriteBatches', ['dynamodb:BatchWriteItem'], table, batches);
  if (removes.length > 0) allow('RemoveItems', ['dynamodb:DeleteItem'], table, removes);
  grantBucket(store, user, uses);
  grantKey(store, user, uses);
  grantSigningKeys(store.signingKeys, user, uses);
}

/** The item that every function reads to know whether the table takes writes (rules/requests.md#maintenance). */
const STATE_FAMILY = familyOf(tableStateKey().pk);

/** Every read of items by their partition keys, except for {@link SELECT}. */
const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];

function refuseScans(user: ServiceFunction, table: string): void {
  user.addToRolePolicy(
    new PolicyStatement({
      sid: 'RefuseScans',
      effect: Effect.DENY,
      actions: [SELECT],
      resources: [table],
      conditions: { Bool: { 'dynamodb:FullTableScan': 'true' } },
    }),
  );
}

/** Refuses reads that name a partition with secrets, alone or among others. @param declared families that it may read */
function refuseSecrets(user: ServiceFunction, table: string, declared: readonly Family[]): void {
  const families = SECRET_FAMILIES.filter((family) => !declared.includes(family));
  if (families.length === 0) return;
  user.addToRolePolicy(
    new PolicyStatement({
      sid: 'RefuseSecrets',
      effect: Effect.DENY,
      actions: [...READS, SELECT],
      resources: [table],
      conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': families.flatMap(partitionPatterns) } },
    }),
  );
}

const onlyPartitions = (families: readonly Family[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': families.flatMap(partitionPatterns) },
});

function grantBucket(store: Evidence, user: ServiceFunction, { bucket = [] }: Uses): void {
  const reaches = (kind: 'read' | 'write' | 'erase' | 'list'): BucketPrefix[] =>
    BUCKET_PREFIXES.filter((prefix) => bucket.includes(`${prefix}:${kind}`));
  const objects = (prefixes: readonly BucketPrefix[]) =>
    prefixes.map((prefix) => store.bucket.arnForObjects(`${prefix}/*`));
  const [reads, writes, erases] = [reaches('read'), reaches('write'), reaches('erase')];
  for (const prefix of new Set([...reads, ...writes, ...erases])) {
    acceptFinding(
      user.role ?? user,
      `IAM5[Resource::${Stack.of(store.bucket).stackName}:${BUCKET_EXPORT}/${prefix}/*]`,
      'Object keys consist of ids and digests, so a right can name only the prefix.',
    );
  }
  if (reads.length > 0) {
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'ReadObjects',
        // A pointer to a body names a version of the object (rules/storage.md#body-pointer).
        actions: ['s3:GetObject', 's3:GetObjectVersion'],
        resources: objects(reads),
      }),
    );
  }
  if (reads.includes('uploads') || reads.includes('log') || reaches('list').length > 0) {
    // Without this right the bucket answers 403 instead of 404 for a missing object, and a missing upload would look like
    // a fault (rules/storage.md#s3-and-sqs-emulator). The exporter lists objects with the same right, and functions that
    // read logs list the copies of checkpoints (rules/log.md#guard).
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
  if (erases.length > 0) {
    // An erasure removes every version; removing an object without its version would only hide it (rules/erasure.md).
    user.addToRolePolicy(
      new PolicyStatement({ sid: 'EraseObjects', actions: ['s3:DeleteObjectVersion'], resources: objects(erases) }),
    );
    if (erases.includes('exports')) {
      user.addToRolePolicy(
        new PolicyStatement({
          sid: 'DiscardUploads',
          actions: ['s3:AbortMultipartUpload'],
          resources: objects(['exports']),
        }),
      );
    }
    user.addToRolePolicy(
      new PolicyStatement({
        sid: 'ListVersions',
        actions: ['s3:ListBucketVersions'],
        resources: [store.bucket.bucketArn],
      }),
    );
  }
}

/** The name of the output with the bucket's ARN. The CDK derives the name from the bucket's logical id, which is fixed. */
const BUCKET_EXPORT = 'ExportsOutputFnGetAttEvidenceBucketArnBD2E6DE5';

/** What table and bucket do with the key on behalf of the function that uses them. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The key can be used only through DynamoDB and S3: the function also needs a right on the item or the object. */
function grantKey(store: Evidence, user: ServiceFunction, { bucket = [] }: Uses): void {
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
