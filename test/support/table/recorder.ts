import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { Objects } from '#shared/bodies/objects.ts';
import { itemSize, writeUnits } from '#shared/table/item-size.ts';
import { meter } from '#shared/table/meter.ts';
import { type Item, keyText, Table } from '#shared/table/table.ts';
import { type Input, readCost, type Units, writtenKeys } from './unit-costs.ts';

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
  const s3 = meter(new S3Client({ ...localClient(endpoints.s3), forcePathStyle: true }), 'S3');
  // Its calls must not count for the request that they are made beside, so this client has no meter.
  const unrecorded = new Table(DynamoDBDocumentClient.from(new DynamoDBClient(localClient(endpoints.dynamodb))), name);
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
