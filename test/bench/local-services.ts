import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { createTableInput } from '#shared/table/table-definition.ts';

/** Starts the local bucket in a process of its own, so that its processor time is not counted. @returns its address */
export async function startObjects(): Promise<{ s3: string; stop(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL('objects-process.ts', import.meta.url)));
  const exited = once(child, 'exit');
  const [s3] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  if (typeof s3 !== 'string') throw new Error('The bucket did not start');
  return {
    s3,
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}

/**
 * Creates the table with the deployed definition, but without its stream. The stream has no reader here, and it makes
 * each transaction of the local database slower the more was written before.
 */
export async function createTable(endpoint: string): Promise<void> {
  const client = new DynamoDBClient(localClient(endpoint));
  const { StreamSpecification: _, ...input } = createTableInput(LOCAL.tableName);
  try {
    await client.send(new CreateTableCommand(input));
  } finally {
    client.destroy();
  }
}
