import { CfnResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
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
import { TABLE } from '#shared/table/table-definition.ts';
import { excuse } from '../policy-checks.ts';

/** Point-in-time recovery reaches back this many days, the longest that the service offers. */
const RECOVERY_DAYS = 35;
/** An upload that nobody claimed is forgotten after this many days, old versions too (design §3). */
const UPLOAD_DAYS = 2;

/** Where evidence is, for those who are given rights on it. */
export interface Evidence {
  readonly table: ITable;
  readonly bucket: IBucket;
  readonly key: IKey;
  /** The stream of the table: every item as a write left it. */
  readonly streamArn: string;
}

export interface EvidenceStoreProps {
  /** Whether single objects of the bucket can be locked; never a default of the bucket (design §3). */
  readonly objectLock: boolean;
  /** Web origins that may send the upload form. */
  readonly uploadOrigins: string[];
}

/**
 * Everything that holds evidence: the single table, the bucket, the key that both are encrypted with. Logical ids are
 * fixed by hand, since a changed one would replace the resource.
 */
export class EvidenceStore extends Construct implements Evidence {
  readonly table: Table;
  readonly bucket: Bucket;
  readonly key: Key;

  constructor(scope: Construct, id: string, props: EvidenceStoreProps) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Encrypts the evidence table and the evidence bucket',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.table = this.#createTable();
    this.bucket = this.#createBucket(props);
    excuse(
      this.bucket,
      'S1',
      'Only functions reach it, and whoever has a form or an address that one of them signed: their log says for whom.',
    );
    pinLogicalId(this.key, 'EvidenceKey');
    pinLogicalId(this.table, 'EvidenceTable');
    pinLogicalId(this.bucket, 'EvidenceBucket');
    // A bucket that outlives its stack must not lose what makes it TLS only.
    this.bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }

  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error(`${this.table.node.path} has no stream`);
    return tableStreamArn;
  }

  /** A plain table rather than a global one: nothing crosses regions (design §1). */
  #createTable(): Table {
    return new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType[TABLE.streamView],
      timeToLiveAttribute: TABLE.timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: RECOVERY_DAYS },
      deletionProtection: true,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #createBucket({ objectLock, uploadOrigins }: EvidenceStoreProps): Bucket {
    return new Bucket(this, 'Bucket', {
      versioned: true,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      // Left out where it is off: the property can be set on a new bucket only, and `false` is not the same as absent.
      ...(objectLock && { objectLockEnabled: true }),
      removalPolicy: RemovalPolicy.RETAIN,
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
        // Expiry leaves a marker as the last version of each upload; it cannot be removed by the rule that made it.
        { id: 'forget-upload-markers', prefix: 'uploads/', expiredObjectDeleteMarker: true },
        { id: 'abort-unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS) },
      ],
    });
  }
}

/**
 * The evidence with a table that was restored beside the one of the stacks, which it takes the place of
 * (docs/deploying.md, «Restore»).
 *
 * @param tableStreamArn the restored table's stream, whose name begins with that of the table
 */
export const withRestoredTable = (scope: Construct, store: Evidence, tableStreamArn: string): Evidence => ({
  bucket: store.bucket,
  key: store.key,
  streamArn: tableStreamArn,
  table: Table.fromTableAttributes(scope, 'RestoredTable', {
    tableArn: tableStreamArn.replace(/\/stream\/.*$/, ''),
    tableStreamArn,
    encryptionKey: store.key,
  }),
});

/**
 * Fixes the logical id of a resource that must survive every refactoring of the tree around it: a changed id replaces
 * the resource, and what it holds is gone from the service.
 */
export function pinLogicalId(resource: Construct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnResource.isCfnResource(element)) throw new Error(`${resource.node.path} has no resource of its own`);
  element.overrideLogicalId(logicalId);
}
