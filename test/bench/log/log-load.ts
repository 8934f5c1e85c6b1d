import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { LogMessage } from '#shared/log/log-message.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { Table } from '#shared/table/table.ts';
import { createTable, startObjects } from '../local-services.ts';
import { type Load, type Played, playLoad } from './play-load.ts';

/** How the integrator keeps up with writes that are spread over many organizations. */

/** A call of the integrator. */
export interface Call {
  seconds: number;
  /** Processor time of this process, in seconds. */
  processor: number;
  messages: number;
  entries: number;
  /** Names of the calls that it made. */
  made: string[];
  callsInRow: number;
}

export interface Measured extends Played {
  calls: Call[];
}

/**
 * Measures the calls of the integrator for a load, against a database and a bucket on this machine. A call takes as long in
 * simulated time as it took.
 *
 * @param latency time that is added to each call of the table and to each signature, in milliseconds
 */
export async function measureLoad(load: Load, latency: number, progress: (text: string) => void): Promise<Measured> {
  const database = await startDynamoDb({});
  const bucket = await startObjects();
  const added = { millis: 0 };
  const calls: Call[] = [];
  try {
    await createTable(database.endpoint);
    const played = await playLoad(
      load,
      {
        table: new Table(
          withLatency(localDatabase(database.endpoint), () => added.millis),
          LOCAL.tableName,
        ),
        objects: localObjects(bucket.s3),
        signing: () => sleep(added.millis),
        begun: () => Object.assign(added, { millis: latency }),
        async call(integrate, bodies) {
          const [count, before, began] = [newCount(), process.cpuUsage(), performance.now()];
          await counted(integrate, count);
          const millis = performance.now() - began;
          const { user, system } = process.cpuUsage(before);
          calls.push({
            seconds: millis / 1_000,
            processor: (user + system) / 1_000_000,
            messages: bodies.length,
            entries: bodies.flatMap((body) => LogMessage.parse(body).entries).length,
            made: count.log.map(({ name }) => name),
            callsInRow: count.sequential,
          });
          return millis;
        },
      },
      progress,
    );
    return { ...played, calls };
  } finally {
    await bucket.stop();
    await database.stop();
  }
}

/** Adds a time to each call of a client, outside the retries of the SDK. */
function withLatency(client: DynamoDBDocumentClient, millis: () => number): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      await sleep(millis());
      return next(args);
    },
    { step: 'initialize', name: 'latency' },
  );
  return client;
}
