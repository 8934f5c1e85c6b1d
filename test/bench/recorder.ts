import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { meter } from '#shared/table/meter.ts';
import { type Item, keyText, Table } from '#shared/table/table.ts';
import { type Input, itemSize, readCost, type Units, writeUnits, writtenKeys } from '../support/unit-costs.ts';

/** A call that a request made to the database or to the bucket. */
export interface RecordedCall {
  /** Name of the SDK's command, such as `TransactWriteItemsCommand`. */
  command: string;
  input: Input;
  /** From 1. Calls of one level run in parallel, after the calls of the level before. */
  level: number;
  /** The items that the call changed, as they were before. */
  before: Item[];
}

/** The calls of one request, with their units. */
export interface Recording extends Units {
  calls: RecordedCall[];
  /** Bytes that the table and the bucket store more than before. */
  stored: { table: number; bucket: number };
}

export interface Recorder {
  /** Clients for the handlers. */
  table: Table;
  objects: Objects;
  /** Runs one request and records its calls. Nothing else may use the table at the same time. */
  record(run: () => Promise<void>): Promise<Recording>;
}

type Next = (args: { input: Input }) => Promise<{ output: Record<string, unknown> }>;

/** Makes clients of a table and a bucket that can record their calls. */
export function makeRecorder(endpoints: { dynamodb: string; s3: string }, name: string): Recorder {
  const client = localDatabase(endpoints.dynamodb);
  const s3 = meter(bareBucket(endpoints.s3), 'S3');
  const unrecorded = new Table(bareDatabase(endpoints.dynamodb), name);
  let recording: Recording | undefined;
  let done = 0;
  const recordCall = (next: Next, context: { commandName?: string }) => async (args: { input: Input }) => {
    if (!recording) return next(args);
    const command = context.commandName ?? '';
    const level = done + 1;
    const keys = writtenKeys(command, args.input);
    const before = await unrecorded.getMany(keys);
    const answer = await next(args);
    const after = await unrecorded.getMany(keys);
    const factor = command.startsWith('Transact') ? 2 : 1;
    for (const key of keys) {
      const [oldSize, newSize] = [itemSize(before.get(keyText(key))), itemSize(after.get(keyText(key)))];
      recording.write += factor * writeUnits(Math.max(oldSize, newSize));
      recording.stored.table += storedSize(newSize) - storedSize(oldSize);
    }
    recording.read += readCost(command, args.input, answer.output);
    recording.calls.push({ command, input: args.input, level, before: [...before.values()] });
    done = Math.max(done, level);
    return answer;
  };
  const recordObjectCall = (next: Next, context: { commandName?: string }) => async (args: { input: Input }) => {
    if (!recording) return next(args);
    const level = done + 1;
    const answer = await next(args);
    recording.calls.push({ command: context.commandName ?? '', input: args.input, level, before: [] });
    // Old versions of objects stay.
    if (context.commandName?.startsWith('Put')) recording.stored.bucket += lengthOf(args.input['Body']);
    done = Math.max(done, level);
    return answer;
  };
  install(client, recordCall);
  install(s3, recordObjectCall);
  return {
    table: new Table(client, name),
    objects: new Objects(s3, LOCAL.bucketName),
    async record(run) {
      const own: Recording = { read: 0, write: 0, calls: [], stored: { table: 0, bucket: 0 } };
      recording = own;
      done = 0;
      try {
        await run();
      } finally {
        recording = undefined;
      }
      return own;
    },
  };
}

/** The database stores this many bytes with each item in addition to its attributes. */
const ITEM_OVERHEAD = 100;
const storedSize = (size: number): number => (size === 0 ? 0 : size + ITEM_OVERHEAD);

function lengthOf(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  throw new Error('The length of the body of an object is not known');
}

const install = (client: { middlewareStack: unknown }, middleware: unknown): void =>
  (client.middlewareStack as { add(middleware: unknown, options: object): void }).add(middleware, {
    step: 'initialize',
    name: 'recorder',
    priority: 'high',
  });

/** Plain clients of the SDK. */
export interface BareClients {
  database: DynamoDBDocumentClient;
  bucket: S3Client;
}

/** Makes a plain client of the SDK, without our settings and without the table module. */
export const bareDatabase = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(localClient(endpoint)), {
    marshallOptions: { removeUndefinedValues: true },
  });

export const bareBucket = (endpoint: string): S3Client =>
  new S3Client({ ...localClient(endpoint), forcePathStyle: true });

/** A recorded request that can be repeated once. */
export interface Replay {
  /** Items that must be stored before `run`, so that every condition of the writes holds. */
  seeds: Item[];
  /** Makes the same calls, with the same parallel calls. */
  run(): Promise<void>;
}

/**
 * Makes a replay of recorded calls with plain clients. Reads stay the same. Writes have the same expressions and sizes,
 * but go to other partitions.
 *
 * @param salt prefix of the partition keys of the writes; it must be different for each replay
 */
export function replayOf(bare: BareClients, { calls }: Recording, salt: string): Replay {
  const levels = [...Map.groupBy(calls, ({ level }) => level)].sort(([a], [b]) => a - b);
  const callsByLevel = levels.map(([, own]) =>
    own.map(({ command, input }) => makeCall(bare, command, salted(input, salt))),
  );
  return {
    seeds: calls.flatMap(({ before }) => before.map((item) => ({ ...item, pk: salt + item.pk }))),
    async run() {
      for (const level of callsByLevel) await Promise.all(level.map((call) => call()));
    },
  };
}

/** Moves the keys of a write to other partitions. Returns the parameters of a read unchanged. */
function salted(input: Input, salt: string): Input {
  if (input['Bucket'] !== undefined) return input;
  if (input['TransactItems'] !== undefined) {
    const items = input['TransactItems'] as Record<string, Input>[];
    return {
      ...input,
      TransactItems: items.map((item) =>
        Object.fromEntries(Object.entries(item).map(([name, operation]) => [name, withSaltedKey(operation, salt)])),
      ),
    };
  }
  if (input['RequestItems'] !== undefined) return saltedBatch(input, salt);
  const isWrite = input['Item'] !== undefined || (input['Key'] !== undefined && input['ConsistentRead'] === undefined);
  return isWrite ? withSaltedKey(input, salt) : input;
}

function saltedBatch(input: Input, salt: string): Input {
  const batches = Object.entries(input['RequestItems'] as Record<string, unknown>);
  const moved = batches.map(([table, requests]) => [
    table,
    Array.isArray(requests)
      ? (requests as { PutRequest: Input }[]).map(({ PutRequest }) => ({ PutRequest: withSaltedKey(PutRequest, salt) }))
      : requests,
  ]);
  return { ...input, RequestItems: Object.fromEntries(moved) };
}

function withSaltedKey(operation: Input, salt: string): Input {
  const moved = (key: unknown) => ({ ...(key as Item), pk: salt + (key as Item).pk });
  return {
    ...operation,
    ...(operation['Item'] !== undefined && { Item: moved(operation['Item']) }),
    ...(operation['Key'] !== undefined && { Key: moved(operation['Key']) }),
  };
}

function makeCall({ database: client, bucket }: BareClients, command: string, input: Input): () => Promise<unknown> {
  const given = input as never;
  if (command.startsWith('PutObject')) return () => bucket.send(new PutObjectCommand(given));
  if (command.startsWith('GetObject')) {
    return async () => (await bucket.send(new GetObjectCommand(given))).Body?.transformToByteArray();
  }
  if (command.startsWith('TransactWrite')) return () => client.send(new TransactWriteCommand(given));
  if (command.startsWith('BatchWrite')) return () => client.send(new BatchWriteCommand(given));
  if (command.startsWith('BatchGet')) return () => client.send(new BatchGetCommand(given));
  if (command.startsWith('Get')) return () => client.send(new GetCommand(given));
  if (command.startsWith('Query')) return () => client.send(new QueryCommand(given));
  if (command.startsWith('ExecuteStatement')) return () => client.send(new ExecuteStatementCommand(given));
  if (command.startsWith('Put')) return () => client.send(new PutCommand(given));
  if (command.startsWith('Update')) return () => client.send(new UpdateCommand(given));
  if (command.startsWith('Delete')) return () => client.send(new DeleteCommand(given));
  throw new Error(`The recorder cannot repeat ${command}`);
}
