import { LOCAL } from '../settings.ts';

/** The ARNs under which the local stack checks rights. */

const ACCOUNT = '000000000000';
const arn = (service: string, resource: string) => `arn:aws:${service}:${LOCAL.region}:${ACCOUNT}:${resource}`;

export const tableArn = (name: string): string => arn('dynamodb', `table/${name}`);
export const bucketArn = (name: string): string => `arn:aws:s3:::${name}`;
/** An address or a domain that mail may be sent from. */
export const mailIdentityArn = (identity: string): string => arn('ses', `identity/${identity}`);
export const queueArn = (name: string): string => arn('sqs', name);
export const keyArn = (name: string): string => arn('kms', `key/${name}`);
/** The key that encrypts table and bucket. */
export const KEY_ARN = keyArn('evidence');
/** The principal of a function in the messages of AWS. */
export const roleArn = (name: string): string => `arn:aws:sts::${ACCOUNT}:assumed-role/${name}/${name}`;

/** Returns a logical id as words: `dead-deliveries` for `DeadDeliveries`. */
const words = (logicalId: string) => logicalId.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

/**
 * Returns an attribute of a resource in a template.
 *
 * @throws Error for a type of resource or an attribute that no right has named so far
 */
export function localAttribute(logicalId: string, type: string, attribute: string): string {
  switch (`${type}.${attribute}`) {
    case 'AWS::DynamoDB::Table.Arn':
      return tableArn(LOCAL.tableName);
    case 'AWS::DynamoDB::Table.StreamArn':
      return `${tableArn(LOCAL.tableName)}/stream/local`;
    case 'AWS::S3::Bucket.Arn':
      return bucketArn(LOCAL.bucketName);
    case 'AWS::KMS::Key.Arn':
      return keyArn(words(logicalId).replace(/-key$/, ''));
    case 'AWS::SQS::Queue.Arn':
      return queueArn(words(logicalId));
    case 'AWS::Logs::LogGroup.Arn':
      return arn('logs', `log-group:${logicalId}:*`);
    default:
      throw new Error(`${logicalId} is a ${type}, whose ${attribute} has no local value: add a case`);
  }
}

/** Returns the value of a pseudo parameter (`AWS::Region`), or undefined for another name. */
export const pseudoParameter = (name: string): string | undefined =>
  ({ 'AWS::Region': LOCAL.region, 'AWS::AccountId': ACCOUNT, 'AWS::Partition': 'aws' })[name];
