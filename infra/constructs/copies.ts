import { Duration } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, type ReplicationRule } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { TABLE } from '#shared/table/table-definition.ts';
import { acceptFinding } from '../policy-checks.ts';

/** As long as the table itself can be restored, so that an erased text is in no copy for longer (rules/erasure.md). */
const COPIES_KEPT = Duration.days(TABLE.recoveryDays);

/** What is replicated. Uploads expire, and exports can be made again. */
const REPLICATED = ['evidence/', 'bodies/', 'log/'];

/** Copies the table each night into a vault of another account or region (docs/deploying.md#copies). */
export function copyTableDaily(scope: Construct, table: ITable, vaultArn: string): void {
  const plan = new BackupPlan(scope, 'Copies', {
    backupVault: new BackupVault(scope, 'Vault'),
    backupPlanRules: [
      new BackupPlanRule({
        ruleName: 'nightly',
        scheduleExpression: Schedule.cron({ hour: '2', minute: '0' }),
        deleteAfter: COPIES_KEPT,
        copyActions: [
          {
            destinationBackupVault: BackupVault.fromBackupVaultArn(scope, 'OtherVault', vaultArn),
            deleteAfter: COPIES_KEPT,
          },
        ],
      }),
    ],
  });
  const selection = plan.addSelection('Table', { resources: [BackupResource.fromDynamoDbTable(table)] });
  acceptFinding(
    selection,
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    'The backup service works with its own policy, which AWS extends with the service.',
  );
}

/** The rules that replicate evidence to another bucket. Deletions are not replicated: the copy is for deletions by mistake. */
export function replicationRules(
  scope: Construct,
  { bucketArn, keyArn }: { bucketArn: string; keyArn: string | undefined },
): ReplicationRule[] {
  if (keyArn === undefined) throw new Error('A replica has the key that encrypts it');
  const destination = Bucket.fromBucketArn(scope, 'Replica', bucketArn);
  const kmsKey = Key.fromKeyArn(scope, 'ReplicaKey', keyArn);
  return REPLICATED.map((prefix, priority) => ({
    id: `copy-${prefix.slice(0, -1)}`,
    destination,
    kmsKey,
    sseKmsEncryptedObjects: true,
    filter: { prefix },
    priority,
  }));
}
