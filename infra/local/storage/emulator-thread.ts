import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { startFauxqs } from 'fauxqs';
import { LOCAL } from '../settings.ts';
import type { EmulatorOptions } from './emulator.ts';
import { teachFairOrder } from './fair-order.ts';

/** The thread that `startEmulator` starts. It says its port when it is ready, and ends with its first message. */

// `startEmulator` hands over these options.
const { port, dataDir } = workerData as EmulatorOptions;
if (dataDir !== null) showReceived(join(dataDir, 'fauxqs.db'));
await teachFairOrder();
const emulator = await startFauxqs({
  port,
  logger: false,
  defaultRegion: LOCAL.region,
  ...(dataDir !== null && { dataDir }),
});
emulator.createBucket(LOCAL.bucketName);
parentPort?.once('message', () => void emulator.stop());
parentPort?.postMessage(emulator.port);

/** Shows messages again that a stack had received when it was killed: no consumer works on them any more. */
function showReceived(file: string): void {
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  try {
    database.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  } finally {
    database.close();
  }
}
