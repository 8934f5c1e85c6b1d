import type { Item } from '#shared/table/table.ts';
import type { RecordedCall, Recording } from '#test/support/table/recorder.ts';
import type { Input } from '#test/support/table/unit-costs.ts';
import type { BareEvent } from './bare-calls.ts';

/**
 * Makes bare calls of recorded calls. Reads stay the same. Writes have the same expressions and sizes, but go to other
 * partitions, so that each of them can be made once.
 *
 * @param salt prefix of the partition keys of the writes; it must be different each time
 */
export function bareEventOf({ calls }: Recording, salt: string): BareEvent {
  const levels = [...Map.groupBy(calls, ({ level }) => level)].sort(([a], [b]) => a - b);
  return levels.map(([, own]) => own.map(({ command, input }) => ({ command, input: salted(input, salt) })));
}

/** The items that must be stored before, so that every condition of the writes holds. */
export const seedsOf = (calls: readonly RecordedCall[], salt: string): Item[] =>
  calls.flatMap(({ before }) => before.map((item) => ({ ...item, pk: salt + item.pk })));

/** Moves the keys of a write to other partitions. Returns the parameters of a read unchanged. */
function salted(input: Input, salt: string): Input {
  if (input['Bucket'] !== undefined) return input;
  if (input['TransactItems'] !== undefined) {
    const items = input['TransactItems'] as Record<string, Input>[];
    return {
      ...input,
      TransactItems: items.map((item) =>
        Object.fromEntries(Object.entries(item).map(([name, operation]) => [name, withSaltedKey(operation, salt)])),
      ),
    };
  }
  if (input['RequestItems'] !== undefined) return saltedBatch(input, salt);
  const isWrite = input['Item'] !== undefined || (input['Key'] !== undefined && input['ConsistentRead'] === undefined);
  return isWrite ? withSaltedKey(input, salt) : input;
}

function saltedBatch(input: Input, salt: string): Input {
  const batches = Object.entries(input['RequestItems'] as Record<string, unknown>);
  const moved = batches.map(([table, requests]) => [
    table,
    Array.isArray(requests)
      ? (requests as { PutRequest: Input }[]).map(({ PutRequest }) => ({ PutRequest: withSaltedKey(PutRequest, salt) }))
      : requests,
  ]);
  return { ...input, RequestItems: Object.fromEntries(moved) };
}

function withSaltedKey(operation: Input, salt: string): Input {
  const moved = (key: unknown) => ({ ...(key as Item), pk: salt + (key as Item).pk });
  return {
    ...operation,
    ...(operation['Item'] !== undefined && { Item: moved(operation['Item']) }),
    ...(operation['Key'] !== undefined && { Key: moved(operation['Key']) }),
  };
}
