import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, inject } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { localClient } from '#infra/local/settings.ts';
import { ensureTable } from '#infra/local/storage/dynamodb.ts';
import { Table } from '#shared/table/table.ts';
import { createTableInput } from '#shared/table/table-definition.ts';
import { holdTable } from './declared-uses.ts';
import { unnotedKeys } from './table/scan-items.ts';
import { forgetKeys } from './table/written-keys.ts';

/** Address of this worker's database. One database for all workers would be their bottleneck: it uses one core. */
export function databaseAddress(): string {
  const { VITEST_POOL_ID: worker } = env;
  const address = inject('databases')[Number(worker) - 1];
  if (address === undefined) throw new Error(`Worker ${worker} has no database`);
  return onlyLocal(address);
}

/**
 * A new table of the deployed definition but for its stream, which no function of ours reads from a table: records of
 * the stream are given to them. With a stream each transaction in a new table takes the local database eight times as
 * long once others hold some thousand records. Make one per test file, and keep tests apart by organization.
 */
export async function testTable(endpoint: string = databaseAddress()): Promise<Table> {
  const name = newName();
  const client = new DynamoDBClient(localClient(onlyLocal(endpoint)));
  const { StreamSpecification: _, ...input } = createTableInput(name);
  try {
    await client.send(new CreateTableCommand(input));
  } finally {
    client.destroy();
  }
  afterAll(async () => {
    const missed = await unnotedKeys(endpoint, name);
    forgetKeys(name);
    if (missed.length > 0) throw new Error(`Items that tests did not see: ${JSON.stringify(missed.slice(0, 5))}`);
  });
  return heldTable(endpoint, name);
}

/** A new table exactly as deployed, for tests that read its stream. */
export async function streamedTable(endpoint: string = databaseAddress()): Promise<Table> {
  const name = newName();
  await ensureTable(onlyLocal(endpoint), name);
  return heldTable(endpoint, name);
}

const newName = () => `test-${randomUUID()}`;
const heldTable = (endpoint: string, name: string) => new Table(holdTable(localDatabase(endpoint)), name);

/** Tests write and erase at will, so they must never reach anything but this machine. */
export function onlyLocal(endpoint: string): string {
  const { hostname } = new URL(endpoint);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') throw new Error(`Tests refuse to write to ${hostname}`);
  return endpoint;
}
