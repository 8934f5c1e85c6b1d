import { CfnResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { apiKeyKey } from '#shared/store/keys.ts';
import { TABLE } from '#shared/store/table-definition.ts';

/** Point-in-time recovery reaches back this many days, the longest that the service offers. */
const RECOVERY_DAYS = 35;
/** An upload that nobody claimed is forgotten after this many days, old versions too (design §3). */
const UPLOAD_DAYS = 2;

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
export class EvidenceStore extends Construct {
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
    pinLogicalId(this.key, 'EvidenceKey');
    pinLogicalId(this.table, 'EvidenceTable');
    pinLogicalId(this.bucket, 'EvidenceBucket');
    // A bucket that outlives its stack must not lose what makes it TLS only.
    this.bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }

  /** The stream of the table: every item as a write left it. */
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

  /**
   * Lets a function read evidence and tells it where the evidence lies. The one thing it may write is when an API key
   * was last used (design §3, «Authentication»).
   */
  letRead(reader: LambdaFunction): void {
    this.#configure(reader);
    this.#grantReads(reader);
    reader.addToRolePolicy(
      new PolicyStatement({
        sid: 'NoteUseOfApiKey',
        actions: ['dynamodb:UpdateItem'],
        resources: [this.table.tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [apiKeyKey('*').pk] } },
      }),
    );
  }

  /** Lets a function read and write evidence and tells it where the evidence lies. */
  letWrite(writer: LambdaFunction): void {
    this.#configure(writer);
    this.#grantReads(writer);
    writer.addToRolePolicy(
      new PolicyStatement({
        sid: 'WriteItems',
        actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
        resources: [this.table.tableArn],
      }),
    );
    writer.addToRolePolicy(
      new PolicyStatement({
        sid: 'WriteObjects',
        actions: ['s3:PutObject'],
        resources: this.#objects(),
      }),
    );
  }

  #configure(reader: LambdaFunction): void {
    reader.addEnvironment('TABLE_NAME', this.table.tableName);
    reader.addEnvironment('BUCKET_NAME', this.bucket.bucketName);
    // The one write of readers needs the key as well; without a right on table or bucket the key opens nothing.
    this.key.grantEncryptDecrypt(reader);
  }

  #grantReads(reader: LambdaFunction): void {
    reader.addToRolePolicy(
      new PolicyStatement({
        sid: 'ReadItems',
        actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
        resources: [this.table.tableArn],
      }),
    );
    reader.addToRolePolicy(
      new PolicyStatement({
        sid: 'ReadObjects',
        // Pointers to bodies name a version (design §2.10).
        actions: ['s3:GetObject', 's3:GetObjectVersion'],
        resources: this.#objects(),
      }),
    );
    // Without it the bucket answers 403 instead of 404 for an object that is not there, and a missing upload could not
    // be told from a fault.
    reader.addToRolePolicy(
      new PolicyStatement({
        sid: 'TellMissingObjects',
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
      }),
    );
  }

  #objects(): string[] {
    return ['uploads/*', 'evidence/*'].map((objects) => this.bucket.arnForObjects(objects));
  }
}

/**
 * Fixes the logical id of a resource that must survive every refactoring of the tree around it: a changed id replaces
 * the resource, and what it holds is gone from the service.
 */
export function pinLogicalId(resource: Construct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnResource.isCfnResource(element)) throw new Error(`${resource.node.path} has no resource of its own`);
  element.overrideLogicalId(logicalId);
}
