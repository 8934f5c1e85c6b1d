import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import { localClient } from '#infra/local/settings.ts';
import { itemSize, writeUnits } from '#shared/table/item-size.ts';
import { type Key, keyText, Table } from '#shared/table/table.ts';
import { databaseAddress } from '../table.ts';
import { type Input, readCost, type Units, writtenKeys } from './unit-costs.ts';
import { recordWrites } from './written-keys.ts';

export { itemSize, sizeOf, writeUnits } from '#shared/table/item-size.ts';
export { readUnits, type Units } from './unit-costs.ts';

type Next = (args: { input: Input }) => Promise<{ output: Record<string, unknown> }>;

/**
 * A table that counts what is read and written through it. To know the sizes of items before and after a write it looks
 * at them through a client of its own.
 */
export function countingTable(table: Table): { table: Table; units: Units } {
  const endpoint = databaseAddress();
  const units: Units = { read: 0, write: 0 };
  const client = recordWrites(localDatabase(endpoint));
  // Not metered: its looks are none of the request's calls.
  const aside = new Table(DynamoDBDocumentClient.from(new DynamoDBClient(localClient(endpoint))), table.name);
  const middleware = (next: Next, context: { commandName?: string }) => async (args: { input: Input }) => {
    const command = context.commandName ?? '';
    const keys = writtenKeys(command, args.input);
    const before = await sizes(aside, keys);
    const answer = await next(args);
    const after = await sizes(aside, keys);
    const cost = command.startsWith('Transact') ? 2 : 1;
    keys.forEach((_, i) => {
      units.write += cost * writeUnits(Math.max(before[i] ?? 0, after[i] ?? 0));
    });
    units.read += readCost(command, args.input, answer.output);
    return answer;
  };
  (client.middlewareStack as unknown as { add(middleware: unknown, options: object): void }).add(middleware, {
    step: 'initialize',
    name: 'units',
    priority: 'high',
  });
  return { table: new Table(client, table.name), units };
}

async function sizes(aside: Table, keys: readonly Key[]): Promise<number[]> {
  const items = await aside.getMany(keys);
  return keys.map((key) => itemSize(items.get(keyText(key))));
}
