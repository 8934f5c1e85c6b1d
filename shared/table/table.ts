import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { retrying } from '#shared/base/retry.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** An item as it lies in the table; record modules parse it with their schema before it goes further. */
export type Item = Key & Record<string, unknown>;

export interface Range {
  pk: string;
  /** Inclusive bounds on the sort key; a prefix is shorthand for both. */
  from?: string;
  to?: string;
  prefix?: string;
  newestFirst?: boolean;
  /** At most this many items; everything in the range when absent. */
  limit?: number;
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

/** One write of a transaction, with what a refusal of its condition means to the caller. */
export type Write<R = never> = (
  | ({ put: Item } & Partial<Condition>)
  | ({ update: Key; UpdateExpression: string } & Partial<Condition>)
  | ({ remove: Key } & Partial<Condition>)
  | ({ check: Key } & Condition)
) & {
  /** Called with the item that stood in the way (undefined where there is none). */
  refused?: (old: Item | undefined) => R;
};

/** Puts an item unless its key is taken. */
export const putIfAbsent = <R>(put: Item, refused?: (old: Item | undefined) => R): Write<R> => ({
  put,
  ConditionExpression: 'attribute_not_exists(pk)',
  ...(refused && { refused }),
});

/** DynamoDB takes at most this many operations in a transaction, and keys in a batch read. */
const TRANSACTION_LIMIT = 100;
const BATCH_LIMIT = 100;
const BATCH_WRITE_LIMIT = 25;

/**
 * The single table. Reads are strongly consistent throughout: no eventually consistent read decides anything
 * (design §2.6).
 */
export class Table {
  readonly #client: DynamoDBDocumentClient;
  readonly name: string;

  constructor(client: DynamoDBDocumentClient, name: string) {
    this.#client = client;
    this.name = name;
  }

  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.name, Key: { pk: key.pk, sk: key.sk }, ConsistentRead: true }),
    );
    return Item as Item | undefined;
  }

  /** The items of the keys that exist, by {@link keyText}; any number of keys, read 100 at a time and at once. */
  async getMany(keys: readonly Key[]): Promise<Map<string, Item>> {
    const unique = [...new Map(keys.map((key) => [keyText(key), { pk: key.pk, sk: key.sk }])).values()];
    const batches: Key[][] = [];
    for (let i = 0; i < unique.length; i += BATCH_LIMIT) batches.push(unique.slice(i, i + BATCH_LIMIT));
    const found = new Map<string, Item>();
    await Promise.all(batches.map((batch) => this.#getBatch(batch, found)));
    return found;
  }

  async #getBatch(batch: Key[], found: Map<string, Item>): Promise<void> {
    let keys = batch;
    await retrying(async () => {
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetCommand({ RequestItems: { [this.name]: { Keys: keys, ConsistentRead: true } } }),
      );
      for (const item of Responses?.[this.name] ?? []) found.set(keyText(item as Item), item as Item);
      keys = (UnprocessedKeys?.[this.name]?.Keys ?? []) as Key[];
      return keys.length === 0 ? 'done' : 'again';
    });
  }

  /** Every item of the range, in order; the database's own pages of 1 MB are joined. */
  async query(range: Range): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const { Items, LastEvaluatedKey } = await this.#client.send(
        new QueryCommand({
          ...this.#condition(range),
          ...(range.limit !== undefined && { Limit: range.limit - items.length }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      items.push(...((Items ?? []) as Item[]));
      start = LastEvaluatedKey;
    } while (start && (range.limit === undefined || items.length < range.limit));
    return items;
  }

  #condition(range: Range) {
    const names: Record<string, string> = { '#pk': 'pk' };
    const values: Record<string, unknown> = { ':pk': range.pk };
    let condition = '#pk = :pk';
    if (range.prefix !== undefined) {
      names['#sk'] = 'sk';
      values[':prefix'] = range.prefix;
      condition += ' AND begins_with(#sk, :prefix)';
    } else if (range.from !== undefined || range.to !== undefined) {
      names['#sk'] = 'sk';
      if (range.from !== undefined) values[':from'] = range.from;
      if (range.to !== undefined) values[':to'] = range.to;
      if (range.from !== undefined && range.to !== undefined) condition += ' AND #sk BETWEEN :from AND :to';
      else condition += range.from !== undefined ? ' AND #sk >= :from' : ' AND #sk <= :to';
    }
    return {
      TableName: this.name,
      ConsistentRead: true,
      ScanIndexForward: !range.newestFirst,
      KeyConditionExpression: condition,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    };
  }

  /** Puts one item whatever stands there: for derived items that every writer would write alike. */
  async put(item: Item): Promise<void> {
    await this.#client.send(new PutCommand({ TableName: this.name, Item: item }));
  }

  /** Puts many items whatever stands there, 25 at a time, not as one: for derived items that may be put again. */
  async putMany(items: readonly Item[]): Promise<void> {
    for (let i = 0; i < items.length; i += BATCH_WRITE_LIMIT) {
      let requests = items.slice(i, i + BATCH_WRITE_LIMIT).map((Item) => ({ PutRequest: { Item } }));
      await retrying(async () => {
        const { UnprocessedItems } = await this.#client.send(
          new BatchWriteCommand({ RequestItems: { [this.name]: requests } }),
        );
        requests = (UnprocessedItems?.[this.name] ?? []) as typeof requests;
        return requests.length === 0 ? 'done' : 'again';
      });
    }
  }

  /** One conditional write alone; a refusal gives back what stood in the way. */
  async write<R>(write: Write<R>): Promise<'done' | R> {
    return this.transact([write]);
  }

  /** One update outside a transaction. @returns false where its condition did not hold. */
  async update(key: Key, update: { UpdateExpression: string } & Partial<Condition>): Promise<boolean> {
    try {
      await this.#client.send(new UpdateCommand({ TableName: this.name, Key: key, ...update }));
      return true;
    } catch (error) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  /**
   * All writes or none. Reasons are read by position: the first refused write that says what its refusal means decides
   * (house style 15). Transient conflicts with other writers are tried again with full jitter.
   * @returns `done`, or what `refused` of the first refused write gave
   * @throws Contention when other writers are in the way for too long
   */
  async transact<R>(writes: readonly Write<R>[]): Promise<'done' | R> {
    if (writes.length > TRANSACTION_LIMIT) throw new Error(`A transaction of ${writes.length} writes`);
    const input: TransactWriteCommandInput = { TransactItems: writes.map((write) => this.#transactItem(write)) };
    // Wrapped, since a refusal may itself mean `again`: to the caller, who has to read anew first.
    const { outcome } = await retrying(async (): Promise<{ outcome: 'done' | R } | 'again'> => {
      try {
        await this.#client.send(new TransactWriteCommand(input));
        return { outcome: 'done' };
      } catch (error) {
        if (BUSY.has((error as Error).name)) return 'again';
        if (!(error instanceof TransactionCanceledException)) throw error;
        return refusalOf(writes, error.CancellationReasons ?? [], error);
      }
    });
    return outcome;
  }

  #transactItem(write: Write<unknown>): TransactItem {
    const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = write;
    const common = {
      TableName: this.name,
      ...(ExpressionAttributeNames && { ExpressionAttributeNames }),
      ...(ExpressionAttributeValues && { ExpressionAttributeValues }),
      ...(ConditionExpression !== undefined && {
        ConditionExpression,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      }),
    };
    if ('put' in write) return { Put: { ...common, Item: write.put } };
    if ('update' in write)
      return { Update: { ...common, Key: write.update, UpdateExpression: write.UpdateExpression } };
    if ('remove' in write) return { Delete: { ...common, Key: write.remove } };
    return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: write.ConditionExpression } };
  }
}

export const keyText = (key: Key): string => `${key.pk}\n${key.sk}`;

/** Reasons that say nothing about our conditions: somebody else was writing, or the table was busy. */
const TRANSIENT = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
/** The same about the whole transaction, which was refused before it was looked at. */
const BUSY = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);

function refusalOf<R>(
  writes: readonly Write<R>[],
  reasons: CancellationReason[],
  error: Error,
): { outcome: R } | 'again' {
  for (const [i, reason] of reasons.entries()) {
    if (reason.Code !== 'ConditionalCheckFailed') continue;
    const refused = writes[i]?.refused;
    // A refusal that nobody foresaw is a fault of ours, not an outcome.
    if (!refused) throw error;
    // The library leaves this one item as the database sent it (stack.md §2).
    return { outcome: refused(reason.Item && (unmarshall(reason.Item) as Item)) };
  }
  if (reasons.some((reason) => TRANSIENT.has(reason.Code ?? ''))) return 'again';
  throw error;
}
