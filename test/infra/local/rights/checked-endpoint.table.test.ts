import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient, SignCommand, VerifyCommand } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { groups } from '#functions/groups.ts';
import { ensureQueues } from '#infra/local/events/queues.ts';
import type { LocalServer } from '#infra/local/http.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { startCheckedEndpoint } from '#infra/local/rights/checked-endpoint.ts';
import { FunctionRights } from '#infra/local/rights/function-rights.ts';
import { functionAccessKeyId, LOCAL, localClient } from '#infra/local/settings.ts';
import { type ObjectsServer, startObjectsServer } from '#infra/local/storage/objects-server.ts';
import type { TemplateJson } from '#infra/role-statements.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { apiKeyKey, keyUseKey } from '#shared/organizations/records/keys.ts';
import { kmsKeys } from '#shared/signing/kms-keys.ts';
import { databaseClient } from '#shared/table/database.ts';
import { family, keyIn } from '#shared/table/keys.ts';
import { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { databaseAddress, testTable } from '#test/support/table.ts';
import { synthesize } from '../../synthesized.ts';

const ORG = testId<OrganizationId>('0192f0a1-b2c3-d4e5-f607-18293a4b');
const FLOW = keyIn(family(ORG, 'FLOW', '1'), 'HEAD');
const SHA = 'ab'.repeat(32);

/** The rights of the templates, for the table of this file in place of the stack's own. */
function rightsOn(table: string): FunctionRights {
  const { stateful, service } = synthesize(groups).eu;
  const named = (json: unknown): TemplateJson =>
    JSON.parse(
      JSON.stringify(json).replaceAll(
        '{"Fn::ImportValue":"delivery-evidence-eu-stateful:ExportsOutputFnGetAttEvidenceTableArn5C7DF67A"}',
        `"arn:aws:dynamodb:${LOCAL.region}:000000000000:table/${table}"`,
      ),
    );
  return new FunctionRights({ stateful: named(stateful.toJSON()), service: named(service.toJSON()) });
}

let own: Table;
let database: LocalServer;
let queues: LocalServer;
let bucket: ObjectsServer;
let keyServer: LocalServer;
let keys: LocalServer;

beforeAll(async () => {
  own = await testTable();
  const rights = rightsOn(own.name);
  database = await startCheckedEndpoint('dynamodb', databaseAddress(), rights);
  bucket = await startObjectsServer({ rights });
  await ensureQueues(bucket.sqs);
  queues = await startCheckedEndpoint('sqs', bucket.sqs, rights);
  keyServer = await startKeyServer(loadKeys());
  keys = await startCheckedEndpoint('kms', keyServer.endpoint, rights);
});
afterAll(async () => {
  await keys.stop();
  await keyServer.stop();
  await queues.stop();
  await bucket.stop();
  await database.stop();
});

/** Client settings of a function's process. */
const as = (name: string, endpoint: string) => ({
  ...localClient(endpoint),
  credentials: { ...LOCAL.credentials, accessKeyId: functionAccessKeyId(name) },
});
const tableOf = (name: string) => new Table(databaseClient(as(name, database.endpoint)), own.name);
const objectsOf = (name: string) =>
  new Objects(new S3Client({ ...as(name, bucket.s3), forcePathStyle: true }), LOCAL.bucketName);

/** Returns the lines that refusals print, and keeps them out of the output of the tests. */
function refusals(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe('the database behind the check of rights', () => {
  it('makes the calls that the function may make', async () => {
    const flows = tableOf('flows');
    await flows.put({ ...FLOW, v: 1 });
    await flows.transact([
      { update: FLOW, UpdateExpression: 'SET v = :two', ExpressionAttributeValues: { ':two': 2 } },
    ]);
    expect(await flows.get(FLOW)).toEqual({ ...FLOW, v: 2 });
    expect(await flows.query({ pk: FLOW.pk })).toHaveLength(1);
    expect((await flows.getMany([FLOW, apiKeyKey('1')])).size).toBe(1);
    const change = { UpdateExpression: 'SET v = :one', ExpressionAttributeValues: { ':one': 1 } };
    expect(await tableOf('search').update(keyUseKey('1'), change)).toBe(true);
  });

  it.each<[string, string, (table: Table) => Promise<unknown>]>([
    ['flows', 'PutItem', (table) => table.put({ ...apiKeyKey('2'), v: 1 })],
    ['flows', 'UpdateItem', (table) => table.update(apiKeyKey('2'), { UpdateExpression: 'REMOVE v' })],
    ['flows', 'DeleteItem', (table) => table.transact([{ remove: FLOW }])],
    ['flows', 'PutItem', (table) => table.transact([{ put: { ...FLOW, v: 3 } }, { put: { ...apiKeyKey('2'), v: 1 } }])],
    ['flows', 'BatchWriteItem', (table) => table.putMany([{ ...FLOW, v: 3 }])],
    ['search', 'PutItem', (table) => table.put({ ...FLOW, v: 3 })],
    ['meta', 'GetItem', (table) => table.get(FLOW)],
    ['nobody', 'GetItem', (table) => table.get(FLOW)],
  ])('refuses %s the action %s, as AWS does, and logs it', async (name, action, work) => {
    const lines = refusals();
    await own.put({ ...FLOW, v: 2 });
    await expect(work(tableOf(name))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(`because no identity-based policy allows the dynamodb:${action} action`),
      $metadata: { httpStatusCode: 400 },
    });
    expect(lines).toEqual([expect.stringContaining(`is not authorized to perform: dynamodb:${action}`)]);
    expect(await own.get(FLOW)).toEqual({ ...FLOW, v: 2 });
    expect(await own.get(apiKeyKey('2'))).toBeUndefined();
  });

  it('refuses an operation whose rights it does not know', async () => {
    const lines = refusals();
    const client = new DynamoDBClient(as('flows', database.endpoint));
    await expect(client.send(new ScanCommand({ TableName: own.name }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    expect(lines).toEqual([expect.stringContaining('knows no right for this call: operation Scan')]);
  });
});

describe('the bucket with the rights of functions', () => {
  const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };
  const form = async (objects: Objects) => {
    const { url, fields } = await objects.presignUpload(ORG, '1', {
      size: 4,
      sha256: SHA_OF_TEXT,
      contentType: 'text/plain',
    });
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    data.append('file', new Blob(['text']), 'a.txt');
    return (await fetch(url, { method: 'POST', body: data })).status;
  };
  const SHA_OF_TEXT = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1';

  it('serves what the function may use, also by its signed forms and addresses', async () => {
    const attestations = objectsOf('attestations');
    expect(await attestations.headUpload(ORG, '1')).toBeNull();
    expect(await form(attestations)).toBe(204);
    await attestations.keepUpload(ORG, '1', SHA_OF_TEXT, null);
    const address = await attestations.presignDownload(ORG, SHA_OF_TEXT, null, 'a.txt', 'text/plain');
    expect(await (await fetch(address)).text()).toBe('text');
  });

  it('refuses everything else, also what a function signed for somebody', async () => {
    const lines = refusals();
    const flows = objectsOf('flows');
    await flows.putBody(ORG, SHA, Buffer.from('kept'));
    await expect(flows.putFile(ORG, SHA, Buffer.from('text'))).rejects.toMatchObject(denied);
    await expect(flows.keepUpload(ORG, '1', SHA, null)).rejects.toMatchObject(denied);
    await expect(objectsOf('repos').getBody(ORG, SHA, null)).rejects.toMatchObject(denied);
    expect(await form(flows)).toBe(403);
    const address = await flows.presignDownload(ORG, SHA_OF_TEXT, null, 'a.txt', 'text/plain');
    const answer = await fetch(address);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
    expect(lines).toHaveLength(5);
  });

  it('answers 403 for a missing object to a function that may not list the bucket', async () => {
    refusals();
    await expect(objectsOf('flows').getBody(ORG, 'cd'.repeat(32), null)).rejects.toMatchObject(denied);
    await expect(objectsOf('attestations').getBody(ORG, 'cd'.repeat(32), null)).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    });
  });
});

describe('the queues behind the check of rights', () => {
  const send = (name: string, queue: string) =>
    new SQSClient(as(name, queues.endpoint)).send(
      new SendMessageCommand({ QueueUrl: `${queues.endpoint}/000000000000/${queue}`, MessageBody: '{}' }),
    );

  it('take messages from the functions that may send them', async () => {
    expect(await send('relay', 'evaluations')).toMatchObject({ MessageId: expect.any(String) });
    expect(await send('notifier', 'deliveries')).toMatchObject({ MessageId: expect.any(String) });
  });

  it.each([
    ['notifier', 'evaluations'],
    ['flows', 'deliveries'],
  ])('refuse messages of the function %s to the queue %s', async (name, queue) => {
    const lines = refusals();
    await expect(send(name, queue)).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    expect(lines).toEqual([expect.stringContaining('is not authorized to perform: sqs:SendMessage')]);
  });
});

describe('the keys behind the check of rights', () => {
  const clientOf = (name: string) => new KMSClient(as(name, keys.endpoint));
  const keysOf = (name: string) => kmsKeys(clientOf(name), { log: 'log', witness: 'witness', statement: 'statement' });
  const denied = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } };

  it('sign for the functions that may sign, and give their public halves to those that serve them', async () => {
    const key = await keysOf('integrator').log();
    expect((await key.sign(Buffer.from('text'))).length).toBe(64);
    expect((await keysOf('log').log()).publicKey).toEqual(key.publicKey);
    expect((await keysOf('log').statement()).publicKey.length).toBeGreaterThan(64);
  });

  it('refuse other functions, other keys and other ways to sign', async () => {
    const lines = refusals();
    await expect((await keysOf('log').log()).sign(Buffer.from('text'))).rejects.toMatchObject(denied);
    await expect(keysOf('integrator').witness()).rejects.toMatchObject(denied);
    await expect(keysOf('flows').log()).rejects.toMatchObject(denied);
    const digest = { KeyId: 'log', Message: Buffer.alloc(64), MessageType: 'DIGEST' } as const;
    const prehashed = new SignCommand({ ...digest, SigningAlgorithm: 'ED25519_PH_SHA_512' });
    await expect(clientOf('integrator').send(prehashed)).rejects.toMatchObject(denied);
    const verify = new VerifyCommand({ ...digest, Signature: Buffer.alloc(64), SigningAlgorithm: 'ED25519_SHA_512' });
    await expect(clientOf('integrator').send(verify)).rejects.toMatchObject(denied);
    expect(lines).toHaveLength(5);
  });
});
