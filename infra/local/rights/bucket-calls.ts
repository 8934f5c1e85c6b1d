import { bucketArn, KEY_ARN } from './arns.ts';
import { CALLER, UnknownCall, viaService } from './calls.ts';
import type { Access } from './evaluate.ts';

/** A request to the bucket, as far as rights depend on it. */
export interface BucketRequest {
  method: string;
  bucket: string;
  /** Decoded. */
  key: string;
  query: URLSearchParams;
  /** Decoded header `x-amz-copy-source` with its query, if the request has one: `evidence/uploads/1?versionId=2`. */
  copySource?: string;
}

/** Parameters of the query that need no right of their own. Any other parameter changes the operation. */
const PLAIN_PARAMETERS = /^(?:x-id|versionId|response-[a-z-]+|x-amz-.+)$/i;
/** The parameters of uploads in parts. Each call of such an upload needs the right to write the object. */
const PART_PARAMETERS = new Set(['uploads', 'uploadId', 'partNumber']);

/**
 * Returns the rights that a request to the bucket needs. Reads and writes also use the bucket's key through the bucket.
 *
 * @throws UnknownCall for an operation that no function makes
 */
export function bucketAccesses({ method, bucket, key, query, copySource }: BucketRequest): Access[] {
  if (method === 'GET' && key === '' && query.has('versions')) {
    return [{ action: 's3:ListBucketVersions', resource: bucketArn(bucket), context: CALLER }];
  }
  if (method === 'GET' && key === '' && query.get('list-type') === '2') return [listAccess(bucket)];
  const operations = [...query.keys()].filter((name) => !PLAIN_PARAMETERS.test(name));
  const isPart = operations.length > 0 && operations.every((name) => PART_PARAMETERS.has(name));
  if (key !== '' && isPart && (method === 'POST' || method === 'PUT')) {
    return [...writing(`${bucket}/${key}`), keyAccess('kms:Decrypt')];
  }
  if (key !== '' && method === 'DELETE' && operations.length === 1 && query.has('uploadId')) {
    return [{ action: 's3:AbortMultipartUpload', resource: bucketArn(`${bucket}/${key}`), context: CALLER }];
  }
  const [operation] = operations;
  if (key === '' || operation !== undefined) {
    throw new UnknownCall(`${method} of the bucket with ${operation ?? 'no key'}`);
  }
  const path = `${bucket}/${key}`;
  if (method === 'GET' || method === 'HEAD') return reading(path, query.has('versionId'));
  if (method === 'DELETE' && query.has('versionId')) {
    return [{ action: 's3:DeleteObjectVersion', resource: bucketArn(path), context: CALLER }];
  }
  if (method !== 'PUT') throw new UnknownCall(`${method} of an object`);
  if (copySource === undefined) return writing(path);
  const [source = '', parameters] = copySource.split('?versionId=');
  return [...reading(source, parameters !== undefined), ...writing(path)];
}

/**
 * Returns the right to list objects. It also decides whether the bucket answers 404 for a missing object, or 403 as for any
 * other.
 */
export const listAccess = (bucket: string): Access => ({
  action: 's3:ListBucket',
  resource: bucketArn(bucket),
  context: CALLER,
});

const reading = (path: string, ofVersion: boolean): Access[] => [
  { action: ofVersion ? 's3:GetObjectVersion' : 's3:GetObject', resource: bucketArn(path), context: CALLER },
  keyAccess('kms:Decrypt'),
];

const writing = (path: string): Access[] => [
  { action: 's3:PutObject', resource: bucketArn(path), context: CALLER },
  keyAccess('kms:GenerateDataKey'),
];

const keyAccess = (action: string): Access => ({
  action,
  resource: KEY_ARN,
  context: { ...CALLER, ...viaService('s3') },
});
