import type { TestProject } from 'vitest/node';
import { buildVerifier } from '#infra/bundles/verifier.ts';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { startKeyServer } from '#infra/local/keys/key-server.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the databases, one for each worker. */
    databases: string[];
    /** Addresses of the bucket and the queues that all table tests share. */
    s3: string;
    sqs: string;
    /** Address of the keys that all table tests share. */
    kms: string;
  }
}

/** Starts what table tests need, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  try {
    // Exports contain the verifier.
    await buildVerifier();
    const databases = await Promise.all(
      Array.from({ length: project.config.maxWorkers }, async (_, worker) => {
        const database = await startDynamoDb({ recordsClasses: worker === 0 });
        started.push(database);
        return database.endpoint;
      }),
    );
    const objects = await startObjectsServer();
    started.push(objects);
    const keys = await startKeyServer(loadKeys());
    started.push(keys);
    project.provide('databases', databases);
    project.provide('s3', objects.s3);
    project.provide('sqs', objects.sqs);
    project.provide('kms', keys.endpoint);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
