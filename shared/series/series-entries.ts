import * as z from 'zod';
import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { fromMillis, type Micros } from '#shared/base/time.ts';
import { type Item, keyText, type Range, type Table } from '#shared/table/table.ts';
import { seriesDirectory, seriesMilestoneIdKey, seriesMilestoneKey, seriesMonthsKey, seriesPartition } from './keys.ts';

/** The items of time series, and reads of their ranges. */

/** An entry of a series. Lists add attributes of their own; an entry stays below 256 bytes. */
const EntryItem = z.looseObject({ pk: z.string(), sk: z.string(), v: z.literal(1) });
export type SeriesEntry = { id: Id } & Record<string, unknown>;

const MonthsItem = z.object({ months: z.custom<Set<string>>((value) => value instanceof Set) });
const MilestoneByNumber = z.object({ sk: z.string(), first: z.string() });
const MilestoneById = z.object({ sk: z.string(), total: z.number() });

/** States how many entries come before the entry `first`. */
export interface Milestone {
  total: number;
  first: Id;
}

/** Returns the two items of a milestone, which is found by number and by id. */
export const milestoneItems = (org: OrganizationId, series: string, { total, first }: Milestone): [Item, Item] => [
  { ...seriesMilestoneKey(org, series, total), v: 1, first },
  { ...seriesMilestoneIdKey(org, series, first), v: 1, total },
];

const readByNumber = (item: Item): Milestone => {
  const { sk, first } = MilestoneByNumber.parse(item);
  return { total: Number(sk.slice(2)), first };
};

const readById = (item: Item): Milestone => {
  const { sk, total } = MilestoneById.parse(item);
  return { total, first: sk.slice(2) };
};

export async function newestMilestone(
  table: Table,
  org: OrganizationId,
  series: string,
): Promise<Milestone | undefined> {
  const [newest] = await table.query({
    pk: seriesDirectory(org, series),
    prefix: 'M#',
    newestFirst: true,
    limit: 1,
  });
  return newest && readByNumber(newest);
}

/** Reads the milestones with totals between two numbers, both inclusive, ascending. */
export async function milestonesBetween(
  table: Table,
  org: OrganizationId,
  series: string,
  from: number,
  to: number,
): Promise<Milestone[]> {
  const { pk, sk } = seriesMilestoneKey(org, series, from);
  const items = await table.query({ pk, from: sk, to: seriesMilestoneKey(org, series, to).sk });
  return items.map(readByNumber);
}

/** Reads the last milestone with at most this total. */
export async function milestoneBefore(
  table: Table,
  org: OrganizationId,
  series: string,
  total: number,
): Promise<Milestone | undefined> {
  const { pk, sk } = seriesMilestoneKey(org, series, total);
  const [item] = await table.query({ pk, from: 'M#', to: sk, newestFirst: true, limit: 1 });
  return item && readByNumber(item);
}

/** Reads the last milestone that starts with this id or an earlier one. */
export async function milestoneOf(
  table: Table,
  org: OrganizationId,
  series: string,
  id: Id,
): Promise<Milestone | undefined> {
  const { pk, sk } = seriesMilestoneIdKey(org, series, id);
  const [item] = await table.query({ pk, from: 'I#', to: sk, newestFirst: true, limit: 1 });
  return item && readById(item);
}

/** Reads the milestones that start with this id or a later one, ascending. */
export async function milestonesFrom(
  table: Table,
  org: OrganizationId,
  series: string,
  id: Id,
  limit?: number,
): Promise<Milestone[]> {
  const { pk, sk } = seriesMilestoneIdKey(org, series, id);
  const items = await table.query({ pk, from: sk, to: 'I#~', ...(limit !== undefined && { limit }) });
  return items.map(readById);
}

const monthText = (date: Date): string => `${date.getUTCFullYear()}${String(date.getUTCMonth() + 1).padStart(2, '0')}`;

/** Returns the month of an id in UTC, as `202611`. Partitions are cut by month. */
export const monthOf = (id: Id): string => monthText(new Date(timeOfId(id) / 1000));

/** Returns the smallest id of a month `202611`. */
export const firstIdOfMonth = (month: string): Id =>
  firstIdAt(fromMillis(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 1, 1)));

/** Returns the month of an instant and the month before it. */
function recentMonths(now: Micros): string[] {
  const date = new Date(now / 1000);
  return [0, 1].map((back) => monthText(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1))));
}

/** Returns the months of two instants and all months between them, ascending, as `202611`. */
export function monthsBetween(from: Micros, to: Micros): string[] {
  const months: string[] = [];
  const first = new Date(from / 1000);
  for (let month = 0; ; month += 1) {
    const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (start * 1000 > to) return months;
    months.push(monthOf(firstIdAt(fromMillis(start))));
  }
}

/** The facts about a series that are read before its entries. */
export interface Directory {
  months: readonly string[];
  newest: Milestone | undefined;
  /** The last milestones, ascending. There are no others between them and after them. */
  recent: readonly Milestone[];
}

/** Two milestones more than the expected tail and a page touch. With the months they fit into one read unit. */
const RECENT = 16;

/** Reads the months and the last milestones of a series. They lie side by side, so one Query reads both. */
export async function readDirectory(
  table: Table,
  org: OrganizationId,
  series: string,
  now: Micros,
): Promise<Directory> {
  const { pk, sk } = seriesMonthsKey(org, series);
  const items = await table.query({ pk, from: 'M#', to: sk, newestFirst: true, limit: RECENT + 1 });
  const months = items.find((item) => item.sk === sk);
  const recent = items
    .filter((item) => item !== months)
    .map(readByNumber)
    .reverse();
  return { months: monthsWith(months, now), newest: recent.at(-1), recent };
}

export const readMonths = async (
  table: Table,
  org: OrganizationId,
  series: string,
  now: Micros,
): Promise<readonly string[]> => monthsWith(await table.get(seriesMonthsKey(org, series)), now);

/**
 * Returns the months in which a series may have entries, ascending: the months that the relay recorded, and the present
 * and the previous month, which it may not have recorded yet.
 */
function monthsWith(item: Item | undefined, now: Micros): string[] {
  const recorded = item ? MonthsItem.parse(item).months : [];
  return [...new Set([...recorded, ...recentMonths(now)])].sort();
}

/** Reads the recorded months of several series, by series, in one batch. */
export async function readRecordedMonths(
  table: Table,
  org: OrganizationId,
  series: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const found = await table.getMany(series.map((one) => seriesMonthsKey(org, one)));
  return new Map(
    series.map((one) => {
      const item = found.get(keyText(seriesMonthsKey(org, one)));
      return [one, item ? MonthsItem.parse(item).months : new Set<string>()];
    }),
  );
}

const toEntry = (item: Item): SeriesEntry => {
  const { pk: _, sk, v: __, ...attributes } = EntryItem.parse(item);
  return { ...attributes, id: sk };
};

interface EntryRange {
  /** First id of the range. Default: the first id of the series. */
  from?: Id | undefined;
  /** First id after the range. Default: no end. */
  before?: Id | undefined;
}

/** Reads all entries of a range, oldest first. All months are read at the same time. */
export async function entriesIn(
  table: Table,
  org: OrganizationId,
  series: string,
  months: readonly string[],
  range: EntryRange,
): Promise<SeriesEntry[]> {
  const { from, before } = range;
  if (from !== undefined && before !== undefined && from >= before) return [];
  const parts = await table.queryEach(monthsIn(months, range).map((month) => monthRange(org, series, month, range)));
  const entries = parts.flat().map(toEntry);
  return before === undefined ? entries : entries.filter(({ id }) => id < before);
}

/** Months read at the same time if only the first or the last entries of a long range are wanted. */
const MONTHS_AT_ONCE = 6;

/**
 * Reads the first `limit` entries from an id on, oldest first. Months are read a few at a time until there are enough
 * entries.
 */
export async function firstEntries(
  table: Table,
  org: OrganizationId,
  series: string,
  months: readonly string[],
  from: Id | undefined,
  limit: number,
): Promise<SeriesEntry[]> {
  const left = monthsIn(months, { from });
  const found: Item[] = [];
  while (left.length > 0 && found.length < limit) {
    const parts = left
      .splice(0, MONTHS_AT_ONCE)
      .map((month) => table.query({ ...monthRange(org, series, month, { from }), limit: limit - found.length }));
    found.push(...(await Promise.all(parts)).flat());
  }
  return found.slice(0, limit).map(toEntry);
}

/**
 * Reads the last `limit` entries from an id on, newest first. Months are read a few at a time until there are enough
 * entries.
 */
export async function lastEntries(
  table: Table,
  org: OrganizationId,
  series: string,
  months: readonly string[],
  from: Id,
  limit: number,
): Promise<SeriesEntry[]> {
  const left = monthsIn(months, { from }).reverse();
  const found: Item[] = [];
  while (left.length > 0 && found.length < limit) {
    const parts = left
      .splice(0, MONTHS_AT_ONCE)
      .map((month) =>
        table.query({ ...monthRange(org, series, month, { from }), newestFirst: true, limit: limit - found.length }),
      );
    found.push(...(await Promise.all(parts)).flat());
  }
  return found.slice(0, limit).map(toEntry);
}

function monthsIn(months: readonly string[], { from, before }: EntryRange): string[] {
  const first = from === undefined ? '' : monthOf(from);
  const last = before === undefined ? '999999' : monthOf(before);
  return months.filter((month) => month >= first && month <= last);
}

const monthRange = (org: OrganizationId, series: string, month: string, { from, before }: EntryRange): Range => ({
  pk: seriesPartition(org, series, month),
  ...(from !== undefined && { from }),
  ...(before !== undefined && { to: before }),
});
