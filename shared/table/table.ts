import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type * as z from 'zod';
import { nameOfError } from '#shared/base/error-facts.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import { hasRoomFor } from './item-size.ts';
import { type Item, type Key, type Range, REQUEST } from './items.ts';
import { itemsOfRange, partitionsStatement, rangeQuery, STATEMENT_LIMIT, statementGroups } from './range-reads.ts';
import { READS_AT_ONCE, readEach } from './read-each.ts';
import { isBusy, type Refusable, refusalOf } from './refusals.ts';

export type { Item, Key, Range } from './items.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

/** One write of a transaction, with the meaning of its refusal. */
export type Write<R = never> =
  | Put<R>
  | ((
      | ({ update: Key; UpdateExpression: string } & Partial<Condition>)
      | ({ remove: Key } & Partial<Condition>)
      | ({ check: Key } & Condition)
    ) &
      Refusable<R>);

/** An update that says what its refusal means. */
export type ConditionalUpdate<R> = { update: Key; UpdateExpression: string } & Partial<Condition> &
  Required<Refusable<R>>;

/** A put; {@link withRequest} sets `namesRequest`. */
type Put<R> = { put: Item; namesRequest?: true } & Partial<Condition> & Refusable<R>;

/** Puts an item unless its key exists. */
export const putIfAbsent = <R>(put: Item, refused?: (old: Item | undefined) => R): Put<R> => ({
  put,
  ConditionExpression: 'attribute_not_exists(pk)',
  ...(refused && { refused }),
});

/** Lets the stored item name the request that wrote it, for the log lines of its effects (rules/storage.md#requests-of-effects). */
export const withRequest = <R>(write: Put<R>): Put<R> => ({ ...write, namesRequest: true });

/** Limit of DynamoDB for operations of a transaction and for keys of a batch read. */
const TRANSACTION_LIMIT = 100;
export const BATCH_LIMIT = 100;
const BATCH_WRITE_LIMIT = 25;

/** The single table. All reads are strongly consistent, because decisions depend on them (rules/storage.md#reads). */
export class Table {
  readonly #client: DynamoDBDocumentClient;
  readonly #request: string | undefined;
  readonly name: string;

  /** @param request id of the request that items name; see {@link withRequest} */
  constructor(client: DynamoDBDocumentClient, name: string, request?: string) {
    this.#client = client;
    this.#request = request;
    this.name = name;
  }

  /** Returns the table for the writes that one request causes. @param request undefined if nobody knows the request */
  ofRequest(request: string | undefined): Table {
    return new Table(this.#client, this.name, request);
  }

  async get(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.name, Key: { pk: key.pk, sk: key.sk }, ConsistentRead: true }),
    );
    // Every item has the keys of the table, which the SDK does not know.
    return Item as Item | undefined;
  }

  /** Reads the items of any number of keys by {@link keyText}, 100 keys per call. Missing items are left out. */
  async getMany(keys: readonly Key[]): Promise<Map<string, Item>> {
    const unique = [...new Map(keys.map((key) => [keyText(key), { pk: key.pk, sk: key.sk }])).values()];
    const found = new Map<string, Item>();
    await readEach(batchesOf(unique, BATCH_LIMIT), (batch) => this.#getBatch(batch, found));
    return found;
  }

  async #getBatch(batch: Key[], found: Map<string, Item>): Promise<void> {
    let keys = batch;
    await retrying(async () => {
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetCommand({ RequestItems: { [this.name]: { Keys: keys, ConsistentRead: true } } }),
      );
      // Every item has the keys of the table, which the SDK does not know.
      for (const item of Responses?.[this.name] ?? []) found.set(keyText(item as Item), item as Item);
      // The keys that were not processed are keys of the request.
      keys = (UnprocessedKeys?.[this.name]?.Keys ?? []) as Key[];
      return keys.length === 0 ? 'done' : 'again';
    });
  }

  /** Reads the items of a range in order. Joins the pages of 1 MB that the database returns. */
  async query(range: Range): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const { Items, LastEvaluatedKey } = await this.#client.send(
        new QueryCommand({
          ...rangeQuery(this.name, range),
          ...(range.limit !== undefined && { Limit: range.limit - items.length }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      // Every item has the keys of the table, which the SDK does not know.
      items.push(...((Items ?? []) as Item[]));
      start = LastEvaluatedKey;
    } while (start && (range.limit === undefined || items.length < range.limit));
    return items;
  }

  /**
   * Reads the items of any number of ranges, 50 partitions at a time, because a call takes more processor time than the items
   * that it returns. A single range, and up to 32 ranges with a limit, are read with one Query each
   * (rules/storage.md#many-partitions).
   * @returns the items of each range, in the order of the ranges
   */
  async queryEach(ranges: readonly Range[]): Promise<Item[][]> {
    // A statement has no limit of items, so it would read a limited range as a whole.
    const most = ranges.some(({ limit }) => limit !== undefined) ? READS_AT_ONCE : 1;
    if (ranges.length <= most) return readEach(ranges, (range) => this.query(range));
    const found = new Map<Range, Item[]>();
    const batches = statementGroups(ranges).flatMap((group) => batchesOf(group, STATEMENT_LIMIT));
    await readEach(batches, async (batch) => {
      const byPartition = Map.groupBy(await this.#queryPartitions(batch), ({ pk }) => pk);
      for (const range of batch) found.set(range, itemsOfRange(range, byPartition));
    });
    return ranges.map((range) => found.get(range) ?? []);
  }

  async #queryPartitions(group: readonly Range[]): Promise<Item[]> {
    const items: Item[] = [];
    let next: string | undefined;
    do {
      const { Items, NextToken } = await this.#client.send(
        new ExecuteStatementCommand({
          ...partitionsStatement(this.name, group),
          ConsistentRead: true,
          ...(next !== undefined && { NextToken: next }),
        }),
      );
      // Every item has the keys of the table, which the SDK does not know.
      items.push(...((Items ?? []) as Item[]));
      next = NextToken;
    } while (next !== undefined);
    return items;
  }

  /** Puts one item without a condition. For derived items that every writer would write alike. */
  async put(item: Item): Promise<void> {
    await this.#untilFree(new PutCommand({ TableName: this.name, Item: item }));
  }

  /**
   * Puts many items without a condition, 25 per call and not as one transaction. For derived items that may be put
   * again.
   */
  async putMany(items: readonly Item[]): Promise<void> {
    for (const batch of batchesOf(items, BATCH_WRITE_LIMIT)) {
      let requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await retrying(async () => {
        const { UnprocessedItems } = await this.#client.send(
          new BatchWriteCommand({ RequestItems: { [this.name]: requests } }),
        );
        // What was not processed is a part of the request.
        requests = (UnprocessedItems?.[this.name] ?? []) as typeof requests;
        return requests.length === 0 ? 'done' : 'again';
      });
    }
  }

  /** Makes one conditional write. A refusal returns what caused it. */
  async write<R>(write: Write<R>): Promise<'done' | R> {
    return this.transact([write]);
  }

  /**
   * Sends a write outside a transaction. Repeats the write while a transaction of another writer changes the item: the
   * SDK does not repeat such a refusal (rules/storage.md#lost-races).
   */
  async #untilFree(command: PutCommand | UpdateCommand): Promise<void> {
    await retrying(async () => {
      try {
        // The client takes both commands, but has no overload for either of two.
        await this.#client.send(command as UpdateCommand);
        return 'done';
      } catch (error) {
        if (nameOfError(error) === 'TransactionConflictException') return 'again';
        throw error;
      }
    });
  }

  /** Updates one item outside a transaction. @returns false if the condition did not hold */
  async update(key: Key, update: { UpdateExpression: string } & Partial<Condition>): Promise<boolean> {
    try {
      await this.#untilFree(new UpdateCommand({ TableName: this.name, Key: key, ...update }));
      return true;
    } catch (error) {
      if (nameOfError(error) === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  /** Updates one item outside a transaction, which costs half as much. A refusal returns what caused it. */
  async writeAlone<R>(write: ConditionalUpdate<R>): Promise<'done' | R> {
    const { update: Key, refused, ...update } = write;
    try {
      await this.#untilFree(
        new UpdateCommand({
          TableName: this.name,
          Key,
          ...update,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return 'done';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The document client does not convert this item (rules/storage.md#dynamodb).
      return refused(error.Item && (unmarshall(error.Item) as Item));
    }
  }

  /** Updates one item outside a transaction. @returns the item as it was before; undefined if there was none */
  async updateReturningOld(
    key: Key,
    update: { UpdateExpression: string } & Partial<Condition>,
  ): Promise<Item | undefined> {
    const { Attributes } = await this.#client.send(
      new UpdateCommand({ TableName: this.name, Key: key, ...update, ReturnValues: 'ALL_OLD' }),
    );
    // Every item has the keys of the table, which the SDK does not know.
    return Attributes as Item | undefined;
  }

  /**
   * Makes all writes or none. Refusals are matched by position: the first refused write that states the meaning of its
   * refusal decides (rules/storage.md#conditions-and-refusals). Transient conflicts with other writers are retried with
   * full jitter.
   * @returns `done`, or the result of `refused` of the first refused write
   * @throws Contention if other writers are in the way for too long
   */
  async transact<R>(writes: readonly Write<R>[]): Promise<'done' | R> {
    if (writes.length > TRANSACTION_LIMIT) throw new Error(`A transaction of ${writes.length} writes`);
    const input: TransactWriteCommandInput = { TransactItems: writes.map((write) => this.#transactItem(write)) };
    // The outcome is wrapped, because a refusal can itself mean `again` to the caller, who then reads first.
    const { outcome } = await retrying(async (): Promise<{ outcome: 'done' | R } | 'again'> => {
      try {
        await this.#client.send(new TransactWriteCommand(input));
        return { outcome: 'done' };
      } catch (error) {
        if (isBusy(error)) return 'again';
        if (!(error instanceof TransactionCanceledException)) throw error;
        return refusalOf(writes, error.CancellationReasons ?? [], error);
      }
    });
    return outcome;
  }

  /** Returns the item with the id of the request, unless the item would then cost another unit. */
  #naming(item: Item): Item {
    if (this.#request === undefined) return item;
    return hasRoomFor(item, this.#request) ? { ...item, [REQUEST]: this.#request } : item;
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
    if ('put' in write) return { Put: { ...common, Item: write.namesRequest ? this.#naming(write.put) : write.put } };
    if ('update' in write)
      return { Update: { ...common, Key: write.update, UpdateExpression: write.UpdateExpression } };
    if ('remove' in write) return { Delete: { ...common, Key: write.remove } };
    return { ConditionCheck: { ...common, Key: write.check, ConditionExpression: write.ConditionExpression } };
  }
}

/** Reads one item and parses it; undefined if there is none. @throws ZodError if the item does not fit the schema */
export async function readRecord<S extends z.ZodType>(
  table: Table,
  key: Key,
  schema: S,
): Promise<z.output<S> | undefined> {
  const item = await table.get(key);
  return item && schema.parse(item);
}

export const keyText = (key: Key): string => `${key.pk}\n${key.sk}`;
