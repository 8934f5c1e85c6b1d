import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
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

/** A call of the database or of the bucket as a request made it. */
export interface RecordedCall {
  /** `TransactWriteItemsCommand` and so on. */
  command: string;
  input: Input;
  /** From 1: calls of one level run side by side, after those of the level before. */
  level: number;
  /** What stood under the keys that it writes. */
  before: Item[];
}

/** What one request asks of the database and of the bucket. */
export interface Recording extends Units {
  calls: RecordedCall[];
}

export interface Recorder {
  /** What handlers are given. */
  table: Table;
  objects: Objects;
  /** Runs one request and notes its calls; nothing else may use the table meanwhile. */
  record(run: () => Promise<void>): Promise<Recording>;
}

type Next = (args: { input: Input }) => Promise<{ output: Record<string, unknown> }>;

/** A table and a bucket whose calls can be recorded. While nothing is recorded they go straight through. */
export function recorder(endpoints: { dynamodb: string; s3: string }, name: string): Recorder {
  const client = localDatabase(endpoints.dynamodb);
  const s3 = meter(bareBucket(endpoints.s3), 'S3');
  const aside = new Table(bareDatabase(endpoints.dynamodb), name);
  let recording: Recording | undefined;
  let done = 0;
  const noting = (next: Next, context: { commandName?: string }) => async (args: { input: Input }) => {
    if (!recording) return next(args);
    const command = context.commandName ?? '';
    const level = done + 1;
    const keys = writtenKeys(command, args.input);
    const before = await aside.getMany(keys);
    const answer = await next(args);
    const after = await aside.getMany(keys);
    const factor = command.startsWith('Transact') ? 2 : 1;
    for (const key of keys) {
      const [old, now] = [itemSize(before.get(keyText(key))), itemSize(after.get(keyText(key)))];
      recording.write += factor * writeUnits(Math.max(old, now));
    }
    recording.read += readCost(command, args.input, answer.output);
    recording.calls.push({ command, input: args.input, level, before: [...before.values()] });
    done = Math.max(done, level);
    return answer;
  };
  const notingObjects = (next: Next, context: { commandName?: string }) => async (args: { input: Input }) => {
    if (!recording) return next(args);
    const level = done + 1;
    const answer = await next(args);
    recording.calls.push({ command: context.commandName ?? '', input: args.input, level, before: [] });
    done = Math.max(done, level);
    return answer;
  };
  install(client, noting);
  install(s3, notingObjects);
  return {
    table: new Table(client, name),
    objects: new Objects(s3, LOCAL.bucketName),
    async record(run) {
      const own: Recording = { read: 0, write: 0, calls: [] };
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

const install = (client: { middlewareStack: unknown }, middleware: unknown): void =>
  (client.middlewareStack as { add(middleware: unknown, options: object): void }).add(middleware, {
    step: 'initialize',
    name: 'recorder',
    priority: 'high',
  });

/** The clients that bare calls are made with. */
export interface Bare {
  database: DynamoDBDocumentClient;
  bucket: S3Client;
}

/** A client as the SDK makes it, with nothing of ours in or around it. */
export const bareDatabase = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(localClient(endpoint)), {
    marshallOptions: { removeUndefinedValues: true },
  });

export const bareBucket = (endpoint: string): S3Client =>
  new S3Client({ ...localClient(endpoint), forcePathStyle: true });

/** A recorded request, ready to be made once more. */
export interface Replay {
  /** What has to be there first, so that every condition holds as it did. */
  seeds: Item[];
  /** Makes the same calls, as much side by side as they were. */
  run(): Promise<void>;
}

/**
 * The same calls bare through the SDK: reads as they were; writes with the same expressions and sizes on partitions of
 * their own.
 */
export function replayOf(bare: Bare, { calls }: Recording, salt: string): Replay {
  const levels = [...Map.groupBy(calls, ({ level }) => level)].sort(([a], [b]) => a - b);
  const sends = levels.map(([, own]) => own.map(({ command, input }) => sender(bare, command, salted(input, salt))));
  return {
    seeds: calls.flatMap(({ before }) => before.map((item) => ({ ...item, pk: salt + item.pk }))),
    async run() {
      for (const level of sends) await Promise.all(level.map((send) => send()));
    },
  };
}

/** The parameters of a write on other partitions; those of a read as they are. */
function salted(input: Input, salt: string): Input {
  if (input['Bucket'] !== undefined) return input;
  if (input['TransactItems'] !== undefined) {
    const items = input['TransactItems'] as Record<string, Input>[];
    return {
      ...input,
      TransactItems: items.map((item) =>
        Object.fromEntries(Object.entries(item).map(([name, one]) => [name, elsewhere(one, salt)])),
      ),
    };
  }
  if (input['RequestItems'] !== undefined) return saltedBatch(input, salt);
  const isWrite = input['Item'] !== undefined || (input['Key'] !== undefined && input['ConsistentRead'] === undefined);
  return isWrite ? elsewhere(input, salt) : input;
}

function saltedBatch(input: Input, salt: string): Input {
  const batches = Object.entries(input['RequestItems'] as Record<string, unknown>);
  const moved = batches.map(([table, requests]) => [
    table,
    Array.isArray(requests)
      ? (requests as { PutRequest: Input }[]).map(({ PutRequest }) => ({ PutRequest: elsewhere(PutRequest, salt) }))
      : requests,
  ]);
  return { ...input, RequestItems: Object.fromEntries(moved) };
}

function elsewhere(one: Input, salt: string): Input {
  const moved = (key: unknown) => ({ ...(key as Item), pk: salt + (key as Item).pk });
  return {
    ...one,
    ...(one['Item'] !== undefined && { Item: moved(one['Item']) }),
    ...(one['Key'] !== undefined && { Key: moved(one['Key']) }),
  };
}

function sender({ database: client, bucket }: Bare, command: string, input: Input): () => Promise<unknown> {
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
  if (command.startsWith('Put')) return () => client.send(new PutCommand(given));
  if (command.startsWith('Update')) return () => client.send(new UpdateCommand(given));
  if (command.startsWith('Delete')) return () => client.send(new DeleteCommand(given));
  throw new Error(`Nobody knows how to make ${command} again`);
}
