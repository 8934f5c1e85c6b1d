import { describe, expect, it } from 'vitest';
import { type BucketRequest, bucketAccesses } from '#infra/local/rights/bucket-calls.ts';
import { UnknownCall } from '#infra/local/rights/calls.ts';
import { databaseAccesses } from '#infra/local/rights/database-calls.ts';
import type { Access } from '#infra/local/rights/evaluate.ts';
import { queueAccesses } from '#infra/local/rights/service-calls.ts';

const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 's' } });
const database = (operation: string, input: object): Access[] =>
  databaseAccesses(`DynamoDB_20120810.${operation}`, JSON.stringify({ TableName: 'evidence', ...input }));
const facts = (accesses: readonly Access[]) =>
  accesses.map(({ action, resource, context }) => [
    action,
    resource.replace(/^.*:/, ''),
    ...(context['dynamodb:LeadingKeys']?.() ?? context['kms:ViaService']?.() ?? []),
  ]);
const KEY = ['kms:Decrypt', 'key/evidence', 'dynamodb.eu-central-1.amazonaws.com'];

describe('a call of the database', () => {
  it.each<[string, object, unknown[][]]>([
    ['GetItem', { Key: item('a') }, [['dynamodb:GetItem', 'table/evidence', 'a']]],
    ['PutItem', { Item: item('a') }, [['dynamodb:PutItem', 'table/evidence', 'a']]],
    ['UpdateItem', { Key: item('a') }, [['dynamodb:UpdateItem', 'table/evidence', 'a']]],
    ['DeleteItem', { Key: item('a') }, [['dynamodb:DeleteItem', 'table/evidence', 'a']]],
    ['PutItem', { TableName: 'other', Item: item('a') }, [['dynamodb:PutItem', 'table/other', 'a']]],
    [
      'Query',
      {
        IndexName: 'by-name',
        KeyConditionExpression: '#sk = :sk AND #pk = :pk',
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':pk': { S: 'a' }, ':sk': { S: 'b' } },
      },
      [['dynamodb:Query', 'table/evidence/index/by-name', 'a']],
    ],
    [
      'BatchGetItem',
      { RequestItems: { evidence: { Keys: [item('a'), item('b')] } } },
      [['dynamodb:BatchGetItem', 'table/evidence', 'a', 'b']],
    ],
    [
      'BatchWriteItem',
      { RequestItems: { evidence: [{ PutRequest: { Item: item('a') } }, { DeleteRequest: { Key: item('b') } }] } },
      [['dynamodb:BatchWriteItem', 'table/evidence', 'a', 'b']],
    ],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'evidence', Item: item('a') } },
          { Update: { TableName: 'evidence', Key: item('b') } },
          { Delete: { TableName: 'evidence', Key: item('c') } },
          { ConditionCheck: { TableName: 'evidence', Key: item('d') } },
        ],
      },
      [
        ['dynamodb:PutItem', 'table/evidence', 'a'],
        ['dynamodb:UpdateItem', 'table/evidence', 'b'],
        ['dynamodb:DeleteItem', 'table/evidence', 'c'],
        ['dynamodb:ConditionCheckItem', 'table/evidence', 'd'],
      ],
    ],
    [
      'ExecuteStatement',
      { Statement: 'SELECT * FROM "evidence" WHERE "pk" IN [?, ?]' },
      [['dynamodb:PartiQLSelect', 'table/evidence']],
    ],
  ])('%s needs the rights of its parts, and the key of the table: %j', (operation, input, expected) => {
    expect(facts(database(operation, input))).toEqual([...expected, KEY]);
  });

  it.each([
    ['WHERE "pk" IN [?]', 'false'],
    ['WHERE "pk" IN [?, ?] AND "sk" BETWEEN ? AND ?', 'false'],
    ['WHERE "pk" IN [?] AND begins_with("sk", ?)', 'false'],
    ['', 'true'],
    ['WHERE "sk" = ?', 'true'],
    ['WHERE "pk" IN [?] OR "sk" >= ?', 'true'],
  ])('decides whether a statement scans the table: %s', (condition, scans) => {
    const [access] = database('ExecuteStatement', { Statement: `SELECT * FROM "evidence" ${condition}`.trim() });
    expect(access?.context['dynamodb:FullTableScan']?.()).toEqual([scans]);
  });

  it('names the attributes of its keys, its item and its expressions', () => {
    const attributes = (operation: string, input: object) =>
      database(operation, input)[0]?.context['dynamodb:Attributes']?.().toSorted();
    expect(attributes('PutItem', { Item: { ...item('a'), v: { N: '1' } } })).toEqual(['pk', 'sk', 'v']);
    const update = {
      Key: item('a'),
      UpdateExpression: 'SET lastUsedAt = :now, #m.part[0] = if_not_exists(counter, :zero) REMOVE gone ADD total :one',
      ConditionExpression: 'attribute_not_exists(pk) OR #m.other BETWEEN :a AND :b AND NOT size(body) > :c',
      ExpressionAttributeNames: { '#m': 'map' },
    };
    expect(attributes('UpdateItem', update)).toEqual(
      ['body', 'counter', 'gone', 'lastUsedAt', 'map', 'pk', 'sk', 'total'].toSorted(),
    );
  });

  it.each<[string, object]>([
    ['Scan', {}],
    ['ExecuteStatement', { Statement: 'DELETE FROM evidence' }],
    ['TransactWriteItems', { TransactItems: [{ Replace: { Key: item('a') } }] }],
    ['Query', { KeyConditionExpression: 'name = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } }],
  ])('%s is unknown: %j', (operation, input) => {
    expect(() => facts(database(operation, input))).toThrow(UnknownCall);
  });
});

describe('a request to the bucket', () => {
  const request = (change: Partial<BucketRequest> = {}, query = '') =>
    bucketAccesses({
      method: 'GET',
      bucket: 'evidence',
      key: 'bodies/1',
      query: new URLSearchParams(query),
      ...change,
    });
  const rights = (accesses: readonly Access[]) => accesses.map(({ action, resource }) => `${action} ${resource}`);
  const ENCRYPT = 'kms:GenerateDataKey arn:aws:kms:eu-central-1:000000000000:key/evidence';
  const DECRYPT = 'kms:Decrypt arn:aws:kms:eu-central-1:000000000000:key/evidence';

  it('needs the right for its object or for its version of the object, and for the key', () => {
    const read = ['s3:GetObject arn:aws:s3:::evidence/bodies/1', DECRYPT];
    expect(rights(request({}, 'x-id=GetObject&response-content-type=text%2Fplain&X-Amz-Date=1'))).toEqual(read);
    expect(rights(request({ method: 'HEAD' }))).toEqual(read);
    expect(rights(request({}, 'versionId=1'))).toEqual(['s3:GetObjectVersion arn:aws:s3:::evidence/bodies/1', DECRYPT]);
    expect(rights(request({ method: 'PUT' }))).toEqual(['s3:PutObject arn:aws:s3:::evidence/bodies/1', ENCRYPT]);
  });

  it('needs rights for source and target of a copy', () => {
    const copy = (copySource: string) => rights(request({ method: 'PUT', copySource }));
    const written = ['s3:PutObject arn:aws:s3:::evidence/bodies/1', ENCRYPT];
    expect(copy('evidence/uploads/2')).toEqual(['s3:GetObject arn:aws:s3:::evidence/uploads/2', DECRYPT, ...written]);
    const [source] = copy('evidence/uploads/2?versionId=3');
    expect(source).toBe('s3:GetObjectVersion arn:aws:s3:::evidence/uploads/2');
  });

  it('needs the right to write an object for every call of an upload in parts', () => {
    const written = ['s3:PutObject arn:aws:s3:::evidence/bodies/1', ENCRYPT, DECRYPT];
    expect(rights(request({ method: 'POST' }, 'uploads='))).toEqual(written);
    expect(rights(request({ method: 'PUT' }, 'partNumber=1&uploadId=2'))).toEqual(written);
    expect(rights(request({ method: 'POST' }, 'uploadId=2'))).toEqual(written);
  });

  it('needs a right of its own to discard an upload in parts', () => {
    expect(rights(request({ method: 'DELETE' }, 'uploadId=2'))).toEqual([
      's3:AbortMultipartUpload arn:aws:s3:::evidence/bodies/1',
    ]);
  });

  it('needs a right of its own to list the bucket', () => {
    expect(rights(request({ key: '' }, 'list-type=2&prefix=bodies%2F'))).toEqual([
      's3:ListBucket arn:aws:s3:::evidence',
    ]);
  });

  it('needs a right of its own to remove a version, and to list versions', () => {
    expect(rights(request({ method: 'DELETE' }, 'versionId=3'))).toEqual([
      's3:DeleteObjectVersion arn:aws:s3:::evidence/bodies/1',
    ]);
    expect(rights(request({ key: '' }, 'versions=&prefix=bodies%2F1'))).toEqual([
      's3:ListBucketVersions arn:aws:s3:::evidence',
    ]);
  });

  it.each<[Partial<BucketRequest>, string]>([
    [{ method: 'DELETE' }, ''],
    [{ key: '' }, 'acl='],
    [{ key: '', method: 'POST' }, 'list-type=2'],
    [{}, 'acl='],
    [{ method: 'PUT' }, 'tagging='],
    [{ method: 'DELETE', key: '' }, 'uploadId=1'],
    [{ method: 'POST' }, 'uploads=&acl='],
  ])('%j with the query "%s" is unknown', (change, query) => {
    expect(() => request(change, query)).toThrow(UnknownCall);
  });
});

describe('a call of a queue', () => {
  const call = (operation: string) =>
    queueAccesses(`AmazonSQS.${operation}`, '{"QueueUrl":"http://127.0.0.1:1/000000000000/deliveries"}');

  it('needs the right to send to this queue, also for a batch', () => {
    const sending = [['sqs:SendMessage', 'deliveries']];
    expect(facts(call('SendMessage'))).toEqual(sending);
    expect(facts(call('SendMessageBatch'))).toEqual(sending);
  });

  it('is unknown if no function makes it', () => {
    expect(() => call('PurgeQueue')).toThrow(UnknownCall);
  });
});
