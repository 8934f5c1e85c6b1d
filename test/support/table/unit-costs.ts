import { itemSize } from '#shared/table/item-size.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Item, Key } from '#shared/table/table.ts';

/**
 * Capacity units, computed from the sizes of items by the published rules of the database, because the local database
 * bills some operations differently (rules/storage.md#units). A write costs one unit per started KB of the larger of
 * the old and the new item. Writes and condition checks of a transaction cost twice that. A strongly consistent read
 * costs one unit per started 4 KB: per item for a Get or a batch, for all items together for a Query. A statement that names several partitions costs
 * as much as a Query of each.
 */
export interface Units {
  read: number;
  write: number;
}

export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));

/** A command's own parameters. */
export type Input = Record<string, unknown>;
const keyOf = ({ pk, sk }: Input): Key => storedKey(String(pk), String(sk));

/** The keys of what a command writes, or checks in a transaction, in its order. */
export function writtenKeys(command: string, input: Input): Key[] {
  if (command.startsWith('TransactWrite')) {
    const items = input['TransactItems'] as Record<string, { Item?: Input; Key?: Input }>[];
    return items.flatMap((item) => Object.values(item).map(({ Item, Key }) => keyOf(Item ?? Key ?? {})));
  }
  if (command.startsWith('BatchWrite')) {
    const requests = Object.values(input['RequestItems'] as Record<string, { PutRequest?: { Item: Input } }[]>).flat();
    return requests.map(({ PutRequest }) => keyOf(PutRequest?.Item ?? {}));
  }
  if (command.startsWith('Put')) return [keyOf(input['Item'] as Input)];
  if (command.startsWith('Update') || command.startsWith('Delete')) return [keyOf(input['Key'] as Input)];
  return [];
}

/** Read units of a command by what it asked and what it gave. */
export function readCost(command: string, input: Input, output: Record<string, unknown>): number {
  const strong = (bytes: number, consistent: unknown) => readUnits(bytes) * (consistent === true ? 1 : 0.5);
  if (command.startsWith('Get')) return strong(itemSize(output['Item'] as Item | undefined), input['ConsistentRead']);
  if (command.startsWith('Query')) {
    if (input['FilterExpression'] !== undefined || input['ProjectionExpression'] !== undefined) {
      throw new Error('What such a Query reads do not follow from its answer');
    }
    const items = (output['Items'] ?? []) as Item[];
    return strong(
      items.reduce((sum, item) => sum + itemSize(item), 0),
      input['ConsistentRead'],
    );
  }
  if (command.startsWith('ExecuteStatement')) {
    const items = (output['Items'] ?? []) as Item[];
    const named = (input['Parameters'] as string[]).slice(0, String(input['Statement']).split('?, ').length);
    const partitions = named.map((pk) => items.filter((item) => item.pk === pk));
    return partitions
      .map((found) =>
        strong(
          found.reduce((sum, item) => sum + itemSize(item), 0),
          input['ConsistentRead'],
        ),
      )
      .reduce((a, b) => a + b, 0);
  }
  if (!command.startsWith('BatchGet')) return 0;
  const requests = input['RequestItems'] as Record<string, { Keys: Input[]; ConsistentRead?: boolean }>;
  const given = output['Responses'] as Record<string, Item[]>;
  return Object.entries(requests).reduce((sum, [name, { Keys, ConsistentRead }]) => {
    const items = given[name] ?? [];
    const missing = Keys.length - items.length;
    const found = items.map((item) => strong(itemSize(item), ConsistentRead)).reduce((a, b) => a + b, 0);
    return sum + found + missing * strong(0, ConsistentRead);
  }, 0);
}
