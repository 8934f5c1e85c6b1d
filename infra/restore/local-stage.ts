import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { Table } from '#shared/table/table.ts';
import { localDatabase, localExportFiles, localKeys, localObjects } from '../local/clients.ts';
import { waitingMessages } from '../local/events/queues.ts';
import { readLiveTable, writeLiveTable } from '../local/live-table.ts';
import { LOCAL, localClient } from '../local/settings.ts';
import { StackFile } from '../local/stack-file.ts';
import { RestoreError } from './restore-error.ts';
import type { Connection, RestoreStage, Say } from './stage.ts';

/** Functions believe for ten seconds what they read of their table. A request of this machine takes less than five. */
const CLOSED_MILLIS = 15_000;
/** The reader of the stream polls every two seconds at least. */
const QUIET_MILLIS = 5_000;
const POLL_MILLIS = 500;
/** How long the command waits for the next start of the stack. */
const RESTART_MILLIS = 30 * 60_000;

const BackedUpStack = StackFile.extend({
  url: z.url(),
  endpoints: z.looseObject({ dynamodb: z.url(), s3: z.url(), sqs: z.url(), kms: z.url() }),
  backups: z.url(),
});
type BackedUpStack = z.infer<typeof BackedUpStack>;

/** Returns the local stack of a data directory as a stage. The stack must run while the command does anything but wait. */
export function localStage(dataDir: string): RestoreStage {
  return {
    connect: async () => connect(await runningStack(dataDir)),
    closedMillis: CLOSED_MILLIS,
    quietMillis: QUIET_MILLIS,
    handOver: async ({ name }, say) => {
      if (readLiveTable(dataDir) !== name) writeLiveTable(dataDir, name);
      await untilUsed(dataDir, name, say);
    },
    own: async () => undefined,
  };
}

/** @throws RestoreError unless the stack runs and answers */
async function runningStack(dataDir: string): Promise<BackedUpStack> {
  const stack = readStack(dataDir);
  if (stack && (await answers(stack))) return stack;
  throw new RestoreError(`No local stack answers for ${dataDir}. Start it with npm start, and repeat the command`);
}

function readStack(dataDir: string): BackedUpStack | undefined {
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file)) return undefined;
  try {
    return BackedUpStack.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // The stack may be writing the file.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

async function answers({ url, operator }: BackedUpStack): Promise<boolean> {
  try {
    // The operator's port says that the file is of this start: another stack can have the port of the API by now.
    await fetch(operator, { signal: AbortSignal.timeout(2_000) });
    return (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch (error) {
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) return false;
    throw error;
  }
}

async function untilUsed(dataDir: string, table: string, say: Say): Promise<void> {
  const isUsed = async () => {
    const stack = readStack(dataDir);
    return stack?.table === table && (await answers(stack));
  };
  if (await isUsed()) return;
  say('  Stop the stack and start it again with the same data directory: it then uses the restored table');
  const deadline = Date.now() + RESTART_MILLIS;
  while (!(await isUsed())) {
    if (Date.now() > deadline)
      throw new RestoreError('The stack was not started again. Start it, and repeat the command');
    await sleep(POLL_MILLIS);
  }
}

/** Clients of the addresses that a start of the stack has. */
const connections = new Map<string, Connection>();

function connect({ endpoints, backups, table: live }: BackedUpStack): Connection {
  const { dynamodb, s3, sqs, kms } = endpoints;
  const known = connections.get(backups);
  if (known?.live === live) return known;
  const client = localDatabase(dynamodb);
  const connection: Connection = {
    live,
    database: new DynamoDBClient(localClient(backups)),
    table: (name) => new Table(client, name),
    bucket: {
      s3: new S3Client({ ...localClient(s3), ...CLIENT_SETTINGS, forcePathStyle: true }),
      name: LOCAL.bucketName,
    },
    objects: localObjects(s3),
    files: localExportFiles(s3),
    keys: localKeys(kms),
    origin: (org) => `${org}.${LOCAL.logDomain}`,
    waiting: () => waitingMessages(sqs),
  };
  connections.set(backups, connection);
  return connection;
}
