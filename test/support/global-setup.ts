import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the database that all table tests share. */
    dynamodb: string;
    /** Addresses of the bucket and the queues that all table tests share. */
    s3: string;
    sqs: string;
  }
}

/** Starts what table tests need, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startDynamoDb();
  try {
    const objects = await startObjectsServer();
    project.provide('dynamodb', database.endpoint);
    project.provide('s3', objects.s3);
    project.provide('sqs', objects.sqs);
    return async () => {
      await objects.stop();
      await database.stop();
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}
