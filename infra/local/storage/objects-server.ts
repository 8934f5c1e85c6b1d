import type { FunctionRights } from '../rights/function-rights.ts';
import { startEmulator } from './emulator.ts';
import { startS3Front } from './s3-front.ts';

export interface ObjectsServer {
  /** Address of the S3 endpoint. Presigned addresses begin with it. */
  s3: string;
  sqs: string;
  stop(): Promise<void>;
}

interface ObjectsServerOptions {
  /** Folder of the emulator's files. @default in memory */
  dataDir?: string | undefined;
  /** TCP port of the S3 endpoint. @default any free port */
  s3Port?: number | undefined;
  /** TCP port of the SQS endpoint, which is part of the addresses of queues. @default any free port */
  sqsPort?: number;
  /** Returns the time in milliseconds since the epoch. */
  now?: (() => number) | undefined;
  /** Rights of functions in the bucket. Without them every signer may do everything. */
  rights?: FunctionRights | undefined;
}

/**
 * Starts the S3 and SQS endpoints with the evidence bucket. The emulator commits every write before it answers.
 */
export async function startObjectsServer({
  dataDir,
  s3Port,
  sqsPort = 0,
  now,
  rights,
}: ObjectsServerOptions = {}): Promise<ObjectsServer> {
  const emulator = await startEmulator({ port: sqsPort, dataDir: dataDir ?? null });
  // The emulator reports the address of the network interface; clients use the loopback address.
  const sqs = `http://127.0.0.1:${emulator.port}`;
  try {
    const front = await startS3Front({ upstream: sqs, port: s3Port, now, rights });
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
