import { startFauxqs } from 'fauxqs';
import { LOCAL } from '../settings.ts';
import { startS3Front } from './s3-front.ts';

export interface ObjectsServer {
  /** Where objects are kept; presigned addresses begin with it. */
  s3: string;
  sqs: string;
  stop(): Promise<void>;
}

export interface ObjectsServerOptions {
  /** Folder of the emulator's database; in memory when absent. */
  dataDir?: string;
  /** TCP port of the S3 endpoint; a free one when absent. */
  s3Port?: number;
  /** TCP port of the SQS endpoint; a free one when absent. Addresses of queues hold it. */
  sqsPort?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * Starts the S3 and SQS endpoints with the evidence bucket. Every write is committed to the emulator's database before
 * it is answered.
 */
export async function startObjectsServer(options: ObjectsServerOptions = {}): Promise<ObjectsServer> {
  const emulator = await startFauxqs({
    port: options.sqsPort ?? 0,
    logger: false,
    defaultRegion: LOCAL.region,
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
  });
  // Its own account of its address names the network interface; clients use this one.
  const sqs = `http://127.0.0.1:${emulator.port}`;
  try {
    emulator.createBucket(LOCAL.bucketName);
    const front = await startS3Front({
      upstream: sqs,
      ...(options.s3Port !== undefined && { port: options.s3Port }),
      ...(options.now && { now: options.now }),
    });
    const stop = async () => {
      await front.stop();
      await emulator.stop();
    };
    return { s3: front.endpoint, sqs, stop };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}
