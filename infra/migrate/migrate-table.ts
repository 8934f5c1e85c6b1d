import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { inParallel } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import { absent, change, equal } from '#shared/table/expressions.ts';
import type { Item } from '#shared/table/items.ts';
import { migrationKey, tableStateKey } from '#shared/table/keys.ts';
import { readRecord, Table } from '#shared/table/table.ts';
import { readState } from '#shared/table/table-state.ts';

/** A change of stored items to the next data format (rules/storage.md#data-format). */
export interface Migration {
  /** The format that the items have afterwards. */
  readonly to: number;
  /**
   * Returns the attributes that an item gets, with `undefined` for each that it loses; null if the item is as it should be.
   * For an item that was changed, the answer is null.
   *
   * @param item an item of any record family, as stored
   */
  readonly attributesOf: (item: Item) => Readonly<Record<string, unknown>> | null;
}

interface MigrateOptions {
  /** Whether items are only counted. */
  readonly dryRun?: boolean;
  /** Called after each page of the table. */
  readonly report?: (progress: Progress) => void;
}

/** How far a migration is. The numbers count from its begin, also over several calls. */
export interface Progress {
  readonly to: number;
  /** A pass reads the whole table. A migration ends with a pass that finds nothing to change. */
  readonly pass: number;
  readonly read: number;
  readonly changed: number;
}

const LastKey = z.object({ pk: z.string(), sk: z.string() });
const StoredProgress = z.object({
  to: z.int(),
  pass: z.int(),
  read: z.int(),
  changed: z.int(),
  /** Items that this pass changed. */
  changedInPass: z.int(),
  /** The last key that was read; absent at the begin of a pass. */
  after: LastKey.optional(),
});
type StoredProgress = z.infer<typeof StoredProgress>;

/** Items of a page that are changed at the same time. */
const WIDTH = 16;

/**
 * Brings the items of a table to the newest data format, beside live traffic: it changes one item at a time, and only if its
 * attributes are as they were read. Progress is stored after each page, so that a migration that was interrupted goes on where
 * it was. A table of the newest format is not read.
 *
 * @returns the finished migrations, in their order; with `dryRun` the items that each would change now
 */
export async function migrateTable(
  { client, name }: { client: DynamoDBDocumentClient; name: string },
  migrations: readonly Migration[],
  { dryRun = false, report = () => undefined }: MigrateOptions = {},
): Promise<Progress[]> {
  const table = new Table(client, name);
  const { format } = await readState(table);
  const begun = await readRecord(table, migrationKey(), StoredProgress);
  const due = migrations.filter(({ to }) => to > format || to === begun?.to);
  const finished: Progress[] = [];
  for (const migration of due) {
    const from = begun?.to === migration.to ? begun : firstProgress(migration);
    const migrate = { client, table, migration, report };
    finished.push(dryRun ? await countPass(migrate) : await runPasses(migrate, from));
  }
  return finished;
}

interface Migrating {
  client: DynamoDBDocumentClient;
  table: Table;
  migration: Migration;
  report: (progress: Progress) => void;
}

const firstProgress = ({ to }: Migration): StoredProgress => ({ to, pass: 1, read: 0, changed: 0, changedInPass: 0 });

async function countPass({ client, table, migration, report }: Migrating): Promise<Progress> {
  let progress: Progress = firstProgress(migration);
  for await (const { items } of pagesOf(client, table.name, undefined)) {
    const changed = items.filter((item) => migration.attributesOf(item) !== null).length;
    progress = { ...progress, read: progress.read + items.length, changed: progress.changed + changed };
    report(progress);
  }
  return progress;
}

/** Items can be written in the earlier format until every function is of this release, so one pass may not be enough. */
async function runPasses({ client, table, migration, report }: Migrating, from: StoredProgress): Promise<Progress> {
  let progress = from;
  const save = async (next: StoredProgress) => {
    progress = next;
    await table.put({ ...migrationKey(), v: 1, ...next });
  };
  // Progress comes first: a format without it would say that the migration has ended.
  await save(from);
  // From the first changed item on, releases that cannot read the format must not touch the table.
  await table.update(tableStateKey(), change({ set: { v: 1, format: migration.to } }));
  for (;;) {
    for await (const { items, last } of pagesOf(client, table.name, progress.after)) {
      const outcomes = await inParallel(items, WIDTH, (item) => migrateItem(table, migration, item));
      const changed = outcomes.filter((wasChanged) => wasChanged).length;
      await save({
        ...progress,
        read: progress.read + items.length,
        changed: progress.changed + changed,
        changedInPass: progress.changedInPass + changed,
        after: last,
      });
      report(progress);
    }
    if (progress.changedInPass === 0) break;
    const { after: _, ...rest } = progress;
    await save({ ...rest, pass: progress.pass + 1, changedInPass: 0 });
  }
  await table.write({ remove: migrationKey() });
  return progress;
}

/** @returns whether the item was changed */
async function migrateItem(table: Table, { attributesOf }: Migration, read: Item): Promise<boolean> {
  let item: Item | undefined = read;
  return retrying(async () => {
    const attributes = item && attributesOf(item);
    if (!item || !attributes) return false;
    if (await table.update({ pk: item.pk, sk: item.sk }, changeOf(item, attributes))) return true;
    item = await table.get(item);
    return 'again';
  });
}

function changeOf(item: Item, attributes: Readonly<Record<string, unknown>>) {
  const names = Object.keys(attributes);
  const set = Object.fromEntries(
    names.filter((name) => attributes[name] !== undefined).map((name) => [name, attributes[name]]),
  );
  const unchanged = names.map((name) => (item[name] === undefined ? absent(name) : equal({ [name]: item[name] })));
  return change({ set, remove: names.filter((name) => attributes[name] === undefined) }, ...unchanged);
}

/** Reads a whole table in pages of 1 MB. Only a migration does this; functions have no right to it (decision 194). */
async function* pagesOf(client: DynamoDBDocumentClient, TableName: string, after: z.infer<typeof LastKey> | undefined) {
  const pages = paginateScan({ client, startingToken: after }, { TableName, ConsistentRead: true });
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    // Every item has the keys of the table, which the SDK does not know.
    const items = (Items as Item[]).filter(({ pk }) => pk !== tableStateKey().pk);
    yield { items, last: LastKey.optional().parse(LastEvaluatedKey) };
  }
}
