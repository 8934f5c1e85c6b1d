import { mkdirSync } from 'node:fs';
import type { Endpoints } from './faults/fault-endpoints.ts';
import { loadKeys } from './keys/key-files.ts';
import { startKeyServer } from './keys/key-server.ts';
import { startMailEndpoint } from './mail-endpoint.ts';
import { preferredPort } from './ports.ts';
import { startCheckedEndpoint } from './rights/checked-endpoint.ts';
import type { FunctionRights } from './rights/function-rights.ts';
import { ensureTable, startDynamoDb } from './storage/dynamodb.ts';
import { startObjectsServer } from './storage/objects-server.ts';

/** Stops a part of the stack that was started. */
export type StopPart = () => Promise<void> | void;

interface ServerOptions {
  /** TCP port of the gateway, or 0. Bucket and queues get the next two ports if these are free. */
  port: number;
  /** Address of a local database that already runs. */
  database?: string | undefined;
  /** Name of the table that the stack uses. */
  tableName: string;
}

interface Servers {
  endpoints: Endpoints;
  /** Rejects if the database ends although nobody stopped it. */
  ended: Promise<void>;
}

/**
 * Starts what stands for the services of AWS: database, bucket, queues and keys.
 *
 * @param inDataDir returns the path of a name in the data directory; undefined for a stack in memory
 * @param rights rights of functions in the bucket; the other servers are checked by {@link startCheckedEndpoints}
 */
export async function startServers(
  { port, database: endpoint, tableName }: ServerOptions,
  inDataDir: (name: string) => string | undefined,
  stops: StopPart[],
  rights: FunctionRights | undefined,
): Promise<Servers> {
  const keys = loadKeys(inDataDir('keys'));
  const objectsDir = inDataDir('objects');
  if (objectsDir !== undefined) mkdirSync(objectsDir, { recursive: true });
  const database =
    endpoint === undefined
      ? await startDynamoDb({ dataDir: inDataDir('dynamodb') })
      : { endpoint, ended: neverEnds, stop: async () => {} };
  stops.push(database.stop);
  const objects = await startObjectsServer({
    s3Port: await preferredPort(port === 0 ? 0 : port + 1),
    sqsPort: await preferredPort(port === 0 ? 0 : port + 2),
    dataDir: objectsDir,
    rights,
  });
  stops.push(objects.stop);
  await ensureTable(database.endpoint, tableName);
  const keyServer = await startKeyServer(keys);
  stops.push(keyServer.stop);
  const endpoints = { dynamodb: database.endpoint, s3: objects.s3, sqs: objects.sqs, kms: keyServer.endpoint };
  return { endpoints, ended: database.ended };
}

/** Stands for the end of a database that another process started and watches. */
const neverEnds = new Promise<never>(() => undefined);

/**
 * Starts endpoints that check each call of a function against its rights. The bucket's own endpoint checks them itself.
 *
 * @param mail folder that mail is written to
 */
export async function startCheckedEndpoints(
  { dynamodb, s3, sqs, kms }: Endpoints,
  rights: FunctionRights,
  mail: string,
  stops: StopPart[],
): Promise<Endpoints & { mail: string }> {
  const start = async (service: 'dynamodb' | 'sqs' | 'kms', upstream: string) => {
    const checked = await startCheckedEndpoint(service, upstream, rights);
    stops.push(checked.stop);
    return checked.endpoint;
  };
  const mailEndpoint = await startMailEndpoint(mail, rights);
  stops.push(mailEndpoint.stop);
  return {
    dynamodb: await start('dynamodb', dynamodb),
    s3,
    sqs: await start('sqs', sqs),
    kms: await start('kms', kms),
    mail: mailEndpoint.endpoint,
  };
}
