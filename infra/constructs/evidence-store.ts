import { Duration } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { EXPORT_KEPT_DAYS } from '#shared/exports/rules/life-of-an-export.ts';
import { TABLE } from '#shared/table/table-definition.ts';
import { acceptFinding } from '../policy-checks.ts';
import type { Stage } from '../stages/settings.ts';
import { copyTableDaily, replicationRules } from './copies.ts';
import { recordDataEvents } from './data-events.ts';
import { KEPT } from './kept.ts';
import { pinLogicalId } from './pin-logical-id.ts';
import { createSigningKeys, type SigningKeySet } from './signing-keys.ts';

/** Uploads expire after this many days, old versions too (rules/storage.md#prefixes). */
const UPLOAD_DAYS = 2;
/** Old versions of archives and of notes about steps expire after this many days. */
const OLD_EXPORT_DAYS = 1;

/** The resources that hold evidence, as the service stack uses them. */
export interface Evidence {
  readonly table: ITable;
  readonly bucket: IBucket;
  readonly key: IKey;
  readonly signingKeys: SigningKeySet;
  /** The stream of the table. Each record has the item as a write left it. */
  readonly streamArn: string;
}

/** The single table, the evidence bucket, the key that encrypts both, and the keys that sign. Their logical ids never change. */
export class EvidenceStore extends Construct implements Evidence {
  readonly table: ITable;
  readonly bucket: Bucket;
  readonly key: Key;
  readonly signingKeys: SigningKeySet;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Encrypts the evidence table and the evidence bucket',
      enableKeyRotation: true,
      removalPolicy: KEPT,
    });
    this.table =
      stage.restoredTableStream === undefined
        ? this.#createTable(stage)
        : this.#restoredTable(stage.restoredTableStream);
    this.bucket = this.#createBucket(stage);
    acceptFinding(
      this.bucket,
      'S1',
      'Only functions reach the bucket, and callers with a form or an address that a function signed and logged.',
    );
    pinLogicalId(this.key, 'EvidenceKey');
    pinLogicalId(this.bucket, 'EvidenceBucket');
    // The bucket outlives its stack, and must then still refuse requests without TLS.
    this.bucket.policy?.applyRemovalPolicy(KEPT);
    if (stage.backupVaultArn !== undefined) copyTableDaily(this, this.table, stage.backupVaultArn);
    if (stage.dataEventsDays !== undefined) {
      recordDataEvents(this, this, { stageName: stage.name, kept: Duration.days(stage.dataEventsDays) });
    }
    this.signingKeys = createSigningKeys(this, stage.name);
  }

  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error(`${this.table.node.path} has no stream`);
    return tableStreamArn;
  }

  /** Creates a plain table and not a global one, because nothing crosses a region (rules/storage.md#regions). */
  #createTable({ tableReadUnits, tableWriteUnits }: Stage): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(tableReadUnits !== undefined && { maxReadRequestUnits: tableReadUnits }),
      ...(tableWriteUnits !== undefined && { maxWriteRequestUnits: tableWriteUnits }),
      stream: StreamViewType[TABLE.streamView],
      timeToLiveAttribute: TABLE.timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: TABLE.recoveryDays },
      deletionProtection: true,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      removalPolicy: KEPT,
    });
    pinLogicalId(table, 'EvidenceTable');
    return table;
  }

  /**
   * A restored table is not part of the stack until the stack imports it (docs/deploying.md#restore). The table of before is not
   * part of it either: it leaves the stack, and is kept.
   *
   * @param tableStreamArn ARN of the table's stream; it begins with the ARN of the table
   */
  #restoredTable(tableStreamArn: string): ITable {
    const tableArn = tableStreamArn.replace(/\/stream\/.*$/, '');
    return Table.fromTableAttributes(this, 'RestoredTable', { tableArn, tableStreamArn, encryptionKey: this.key });
  }

  #createBucket({ objectLock, uploadOrigins, replicaBucketArn, replicaKeyArn }: Stage): Bucket {
    return new Bucket(this, 'Bucket', {
      ...(replicaBucketArn !== undefined && {
        replicationRules: replicationRules(this, { bucketArn: replicaBucketArn, keyArn: replicaKeyArn }),
      }),
      versioned: true,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      // The property can be set only on a new bucket, and CloudFormation does not treat `false` as absent.
      ...(objectLock && { objectLockEnabled: true }),
      removalPolicy: KEPT,
      cors: [
        { allowedMethods: [HttpMethods.POST], allowedOrigins: uploadOrigins, allowedHeaders: ['*'], maxAge: 3600 },
      ],
      lifecycleRules: [
        {
          id: 'forget-uploads',
          prefix: 'uploads/',
          expiration: Duration.days(UPLOAD_DAYS),
          noncurrentVersionExpiration: Duration.days(UPLOAD_DAYS),
        },
        // Expiry leaves a delete marker as the last version of each upload. Only another rule can remove the marker.
        { id: 'forget-upload-markers', prefix: 'uploads/', expiredObjectDeleteMarker: true },
        {
          id: 'forget-exports',
          prefix: 'exports/',
          expiration: Duration.days(EXPORT_KEPT_DAYS),
          noncurrentVersionExpiration: Duration.days(OLD_EXPORT_DAYS),
        },
        { id: 'forget-export-markers', prefix: 'exports/', expiredObjectDeleteMarker: true },
        { id: 'abort-unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS) },
      ],
    });
  }
}
