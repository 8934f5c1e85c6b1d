import type { Item, Range } from './items.ts';

/** Returns the query that reads a range, apart from its limit. */
export function rangeQuery(table: string, range: Range) {
  const { condition, values } = sortKeyCondition(range, 'sk', [':v0', ':v1']);
  return {
    TableName: table,
    ConsistentRead: true,
    ScanIndexForward: !range.newestFirst,
    KeyConditionExpression: `pk = :pk${condition}`,
    ExpressionAttributeValues: { ':pk': range.pk, ...Object.fromEntries(values.map((value, i) => [`:v${i}`, value])) },
  };
}

/** The most partitions that one statement can name: the database accepts 50 values of a partition key. */
export const STATEMENT_LIMIT = 50;

/** A statement that reads the same sort keys in several partitions. */
interface PartitionsStatement {
  Statement: string;
  Parameters: string[];
}

/**
 * Groups ranges so that one statement can read each group: ranges of a group have the same bounds of the sort key. A
 * range keeps its own order and limit.
 */
export const statementGroups = (ranges: readonly Range[]): Range[][] => [
  ...Map.groupBy(ranges, ({ from, to, prefix }) => JSON.stringify([from, to, prefix])).values(),
];

/**
 * Returns the statement that reads the partitions of a group. Its condition names partition keys, so the database queries
 * these partitions and does not scan the table (rules/storage.md#many-partitions).
 */
export function partitionsStatement(table: string, group: readonly Range[]): PartitionsStatement {
  const pks = [...new Set(group.map(({ pk }) => pk))];
  const { condition, values } = sortKeyCondition(group[0] ?? {}, '"sk"', ['?', '?']);
  const partitions = `"pk" IN [${pks.map(() => '?').join(', ')}]`;
  return { Statement: `SELECT * FROM "${table}" WHERE ${partitions}${condition}`, Parameters: [...pks, ...values] };
}

/** Two bounds stand in one `BETWEEN`. For two comparisons of the sort key, the local database scans the table. */
function sortKeyCondition(
  { from, to, prefix }: Partial<Range>,
  key: string,
  [first, second]: readonly [string, string],
): { condition: string; values: string[] } {
  if (prefix !== undefined) return { condition: ` AND begins_with(${key}, ${first})`, values: [prefix] };
  if (from !== undefined && to !== undefined)
    return { condition: ` AND ${key} BETWEEN ${first} AND ${second}`, values: [from, to] };
  if (from !== undefined) return { condition: ` AND ${key} >= ${first}`, values: [from] };
  return to === undefined ? { condition: '', values: [] } : { condition: ` AND ${key} <= ${first}`, values: [to] };
}

/** Returns the items of one range, from the items of its group: in the order and number that the range asks for. */
export function itemsOfRange(range: Range, byPartition: ReadonlyMap<string, readonly Item[]>): Item[] {
  const items = (byPartition.get(range.pk) ?? []).toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
  if (range.newestFirst) items.reverse();
  return items.slice(0, range.limit);
}
