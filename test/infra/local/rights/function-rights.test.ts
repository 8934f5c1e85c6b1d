import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { KEY_ARN, queueArn, tableArn } from '#infra/local/rights/arns.ts';
import { bucketAccesses, listAccess } from '#infra/local/rights/bucket-calls.ts';
import { type Access, evaluate } from '#infra/local/rights/evaluate.ts';
import { keyAccesses, mailAccesses, queueAccesses } from '#infra/local/rights/service-calls.ts';
import { functionStatements, resourceStatements } from '#infra/local/rights/template-statements.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { TemplateJson } from '#infra/role-statements.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { actionSecretKey } from '#shared/notifications/records/keys.ts';
import { emailKey, keyUseKey, organizationKey, principalKeyKey, trustKey } from '#shared/organizations/records/keys.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { attributes, byFunction, call, forEverybody, may, readsOf, templates, writesOf } from './granted.ts';

/** Actions of the platform on behalf of functions, and actions of calls that no function makes on one machine. */
const UNCHECKED = new Set([
  ...['logs:CreateLogStream', 'logs:PutLogEvents', 'xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  ...['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
  ...[
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:ChangeMessageVisibility',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
  ],
  ...['kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
]);

/** A call for each right that the local stack checks. */
const CALLS: Access[] = [
  ...writesOf(keyUseKey('1')).flat(),
  ...call('GetItem', { Key: attributes(keyUseKey('1')) }),
  ...call('BatchGetItem', { RequestItems: { [LOCAL.tableName]: { Keys: [attributes(keyUseKey('1'))] } } }),
  ...call('Query', { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } }),
  ...call('ExecuteStatement', { Statement: `SELECT * FROM "${LOCAL.tableName}" WHERE "pk" IN [?]` }),
  ...call('TransactWriteItems', { TransactItems: [{ ConditionCheck: { TableName: LOCAL.tableName, Key: {} } }] }),
  ...['GET', 'PUT'].flatMap((method) =>
    ['', 'versionId=1'].flatMap((query) =>
      bucketAccesses({ method, bucket: LOCAL.bucketName, key: 'bodies/1', query: new URLSearchParams(query) }),
    ),
  ),
  listAccess(LOCAL.bucketName),
  ...bucketAccesses({
    method: 'DELETE',
    bucket: LOCAL.bucketName,
    key: 'bodies/1',
    query: new URLSearchParams('versionId=1'),
  }),
  ...bucketAccesses({
    method: 'DELETE',
    bucket: LOCAL.bucketName,
    key: 'exports/1',
    query: new URLSearchParams('uploadId=1'),
  }),
  ...bucketAccesses({ method: 'GET', bucket: LOCAL.bucketName, key: '', query: new URLSearchParams('versions=') }),
  ...queueAccesses('AmazonSQS.SendMessage', '{"QueueUrl":"http://127.0.0.1:1/000000000000/deliveries"}'),
  ...mailAccesses(LOCAL.mailSender),
  ...['GetPublicKey', 'Sign'].flatMap((operation) => keyAccesses(`TrentService.${operation}`, '{"KeyId":"log"}')),
];

describe('the local stack', () => {
  it('understands every right in the templates: its action, its resource and its conditions', () => {
    const known = new Set(CALLS.map(({ action }) => action));
    const statements = [...byFunction.values()].flat();
    expect(statements.length).toBeGreaterThan(100);
    const actions = new Set(statements.flatMap((statement) => statement.actions));
    expect([...actions].filter((action) => !known.has(action) && !UNCHECKED.has(action))).toEqual([]);
    // Evaluated with its own resources, so that every condition is compared.
    for (const statement of [...statements, ...forEverybody]) {
      for (const access of CALLS) {
        evaluate([{ ...statement, resources: statement.resources.flatMap((one) => [one, access.resource]) }], access);
      }
    }
    const resources = new Set(statements.flatMap((statement) => statement.resources.map((one) => one.split(':')[2])));
    expect([...resources].toSorted()).toEqual(['dynamodb', 'kms', 'logs', 's3', 'ses', 'sqs', undefined].toSorted());
  });

  it('knows the rights of every function, and denials for everybody', () => {
    expect([...byFunction.keys()].toSorted()).toEqual(
      [
        ...groups.map(({ name }) => name),
        'unknown-route',
        'relay',
        'notifier',
        'expander',
        'evaluator',
        'integrator',
        'exporter',
        'operator',
      ].toSorted(),
    );
    expect(forEverybody).toContainEqual(expect.objectContaining({ effect: 'Deny', actions: ['s3:*'] }));
    expect(forEverybody).toContainEqual(
      expect.objectContaining({ effect: 'Deny', actions: ['sqs:*'], resources: [queueArn('dead-deliveries')] }),
    );
  });

  it('refuses a template whose rights it would read only in part', () => {
    const withRole = (properties: object): TemplateJson => ({
      Resources: { Role: { Type: 'AWS::IAM::Role', Properties: { Description: 'x', ...properties } } },
    });
    const read = (role: TemplateJson) => functionStatements({ stateful: templates.stateful, service: role });
    expect(read(withRole({})).size).toBe(1);
    expect(() => read(withRole({ ManagedPolicyArns: ['a'] }))).toThrow('ManagedPolicyArns');
    const open = { Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*', Principal: '*' }] };
    const bucket = { Type: 'AWS::S3::BucketPolicy', Properties: { PolicyDocument: open } };
    expect(() => resourceStatements({ ...templates, stateful: { Resources: { Open: bucket } } })).toThrow('Open');
  });
});

describe('a function for strangers', () => {
  const org = testId<OrganizationId>('0192f0a1-b2c3-d4e5-f607-18293a4b');
  const mayRead = (name: string, key: Key) => readsOf(key).map((accesses) => may(byFunction.get(name) ?? [], accesses));
  const [get = []] = readsOf(organizationKey('acme'));

  it('reads only what its endpoints declare, and only by keys', () => {
    expect(may(byFunction.get('token') ?? [], get)).toBe(true);
    expect(may(byFunction.get('sign-in') ?? [], get)).toBe(true);
    expect(may(byFunction.get('witness') ?? [], get)).toBe(false);
    const evidence = [
      storedKey(`${org}#TRAIL#f#t`, '1'),
      storedKey(`${org}#EVALUATION#e`, '1'),
      actionSecretKey(org, 1),
      principalKeyKey('p', testId('k')),
    ];
    for (const name of ['token', 'sign-in', 'witness']) {
      for (const key of evidence) expect([name, key, mayRead(name, key).some(Boolean)]).toEqual([name, key, false]);
    }
    expect(mayRead('token', emailKey('ann@example.com')).some(Boolean)).toBe(false);
    expect(mayRead('sign-in', trustKey(org, 'release')).some(Boolean)).toBe(false);
  });

  it('has no right to read many partitions with a statement, except for the lists of groups at a sign-in', () => {
    const select = (pk: string) =>
      call('ExecuteStatement', {
        Statement: `SELECT * FROM "${LOCAL.tableName}" WHERE "pk" IN [?]`,
        Parameters: [{ S: pk }],
      });
    const readers = ['token', 'sign-in', 'witness'].filter((name) =>
      may(byFunction.get(name) ?? [], select('@LETIN#group#ops')),
    );
    expect(readers).toEqual(['sign-in']);
    expect(may(byFunction.get('sign-in') ?? [], select('@ORG#acme'))).toBe(false);
  });
});

describe('a function', () => {
  it('may read partitions with a statement, and may not scan the table with one', () => {
    const select = (condition: string) =>
      call('ExecuteStatement', { Statement: `SELECT * FROM "${LOCAL.tableName}"${condition}` });
    const flows = byFunction.get('flows') ?? [];
    expect(may(flows, select(' WHERE "pk" IN [?, ?]'))).toBe(true);
    for (const statements of byFunction.values()) expect(may(statements, select(''))).toBe(false);
  });

  it('may check items only of the families that its transactions check', () => {
    const org = '0192f0a1-b2c3-d4e5-f607-18293a4b';
    const checkersOf = (pk: string) => {
      const part = { ConditionCheck: { TableName: LOCAL.tableName, Key: attributes(storedKey(pk, '1')) } };
      const access = call('TransactWriteItems', { TransactItems: [part] });
      return [...byFunction].filter(([, statements]) => may(statements, access)).map(([name]) => name);
    };
    expect(checkersOf(`${org}#MEMBER`).toSorted()).toEqual(['operator', 'organizations']);
    expect(checkersOf(`${org}#MILESTONES#s`).toSorted()).toEqual(['expander', 'relay']);
    for (const pk of [`${org}#TRAIL#f#t`, '@KEY#1']) expect(checkersOf(pk)).toEqual([]);
  });
});

describe('event sources', () => {
  const source = (action: string, resource: string): Access => ({ action, resource, context: CALLS[0]?.context ?? {} });
  const own = (name: string) => byFunction.get(name) ?? [];

  it('may read the stream with the rights of the relay', () => {
    const stream = `${tableArn(LOCAL.tableName)}/stream/local`;
    const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
    expect(
      may(
        own('relay'),
        actions.map((action) => source(`dynamodb:${action}`, stream)),
      ),
    ).toBe(true);
    expect(may(own('relay'), [source('sqs:SendMessage', queueArn('relay-failures'))])).toBe(true);
    expect(may(own('notifier'), [source('dynamodb:GetRecords', stream)])).toBe(false);
  });

  it.each([
    ['notifier', 'deliveries'],
    ['evaluator', 'evaluations'],
  ])('may receive messages with the rights of the %s', (name, queue) => {
    const actions = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
    expect(
      may(
        own(name),
        actions.map((action) => source(`sqs:${action}`, queueArn(queue))),
      ),
    ).toBe(true);
    expect(may(own('relay'), [source('sqs:ReceiveMessage', queueArn(queue))])).toBe(false);
  });

  it('do not let a function use the key without the database or the bucket', () => {
    for (const action of ['kms:GenerateDataKey', 'kms:Decrypt']) {
      const alone: Access = { action, resource: KEY_ARN, context: { 'kms:ViaService': () => [] } };
      for (const statements of byFunction.values()) expect(may(statements, [alone])).toBe(false);
    }
  });
});
