import { setTimeout as sleep } from 'node:timers/promises';
import { batchesOf } from '#shared/base/parallel.ts';
import { UNSIGNED } from '../settings.ts';

/** An item in the form of the wire: bytes are text in base64. */
export type WireItem = Record<string, unknown>;

/** The most items that the database takes in one call. */
const BATCH = 25;
const AGAIN_MILLIS = 100;

/** A call that the database refused. The message is that of the database. */
export class RefusedCall extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

interface Answer {
  __type?: string;
  message?: string;
  Message?: string;
  Items?: WireItem[];
  LastEvaluatedKey?: WireItem;
  UnprocessedItems?: Record<string, unknown[]>;
}

/**
 * Calls the local database without the SDK, which would turn every item into values and back.
 *
 * @throws RefusedCall if the database refuses the call
 */
export async function rawCall(endpoint: string, operation: string, input: object): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'content-type': 'application/x-amz-json-1.0',
      authorization: UNSIGNED,
    },
    body: JSON.stringify(input),
  });
  // The database answers the documented members of the operation.
  const answer = (await response.json()) as Answer;
  if (response.ok) return answer;
  const type = answer.__type?.split('#').at(-1) ?? `status ${response.status}`;
  throw new RefusedCall(type, answer.message ?? answer.Message ?? type);
}

/** Yields every item of a table, in pages. */
export async function* scanPages(endpoint: string, table: string): AsyncGenerator<WireItem[]> {
  let start: WireItem | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await rawCall(endpoint, 'Scan', {
      TableName: table,
      ConsistentRead: true,
      ...(start && { ExclusiveStartKey: start }),
    });
    yield Items;
    start = LastEvaluatedKey;
  } while (start);
}

/** Puts items into a table. Putting the same items again changes nothing. */
export async function putItems(endpoint: string, table: string, items: readonly WireItem[]): Promise<void> {
  for (const batch of batchesOf(items, BATCH)) {
    let requests: unknown[] = batch.map((Item) => ({ PutRequest: { Item } }));
    for (;;) {
      const { UnprocessedItems = {} } = await rawCall(endpoint, 'BatchWriteItem', {
        RequestItems: { [table]: requests },
      });
      requests = UnprocessedItems[table] ?? [];
      if (requests.length === 0) break;
      await sleep(AGAIN_MILLIS);
    }
  }
}
