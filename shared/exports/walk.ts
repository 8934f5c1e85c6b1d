import * as z from 'zod';
import { timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { firstEntries, monthsBetween, type SeriesEntry } from '#shared/series/series-entries.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item, Range, Table } from '#shared/table/table.ts';
import type { ExportContext } from './context.ts';
import type { Page, Place, Section } from './pages.ts';
import { type Line, linesOf, type Shape } from './record-lines.ts';

export interface Keyed {
  /** Keys are walked in ascending order of their ids. */
  id: string;
}

/** Returns the keys of a family from an id on, itself included, ascending; at most `limit`. */
export type KeysFrom<K extends Keyed> = (context: ExportContext, from: string | null, limit: number) => Promise<K[]>;

/** Keys of which the first items are read at the same time. */
const KEYS_AT_ONCE = 16;
/** Items of one read. With the largest items that are usual, one read takes less than a megabyte. */
const ITEMS_AT_ONCE = 100;
const RECORDS_AT_ONCE = 100;

type KeyRange = Pick<Range, 'pk' | 'from' | 'to'>;

interface RangesFamily<K extends Keyed> {
  name: string;
  keys: KeysFrom<K>;
  ranges: (context: ExportContext, key: K) => readonly KeyRange[];
  lines: (context: ExportContext, items: readonly Item[], key: K) => Line[] | Promise<Line[]>;
}

/** A family of records (rules/exports.md#records) whose keys each name ranges of the table. Every range is read page by page. */
export const rangesFamily = <K extends Keyed>(family: RangesFamily<K>): Section => ({
  name: family.name,
  async *pages(context, place) {
    for await (const keys of keyChunks(context, family.keys, place, KEYS_AT_ONCE)) {
      const walks = keys.map((key) => pagesOfKey(key, place?.key === key.id ? place : null));
      const firsts = await inParallel(walks, KEYS_AT_ONCE, (walk) => walk.next());
      for (const [i, walk] of walks.entries()) {
        const first = firsts[i];
        if (!first || first.done) continue;
        yield first.value;
        yield* walk;
      }
      // The page is empty. It lets a step end although many keys have no items.
      const last = keys.at(-1);
      if (last) yield { lines: [], place: finished(last) };
    }

    async function* pagesOfKey(key: K, resumed: Place | null): AsyncGenerator<Page> {
      const ranges = family.ranges(context, key);
      for (let range = resumed?.range ?? 0; range < ranges.length; range += 1) {
        const within = ranges[range];
        if (!within) return;
        let after = range === resumed?.range ? resumed.after : null;
        for (;;) {
          const items = await itemsAfter(context.table, within, after);
          const isLast = items.length < ITEMS_AT_ONCE;
          after = items.at(-1)?.sk ?? after;
          const next: Place = isLast ? { key: key.id, range: range + 1, after: null } : { key: key.id, range, after };
          if (items.length > 0) yield { lines: await family.lines(context, items, key), place: next };
          if (isLast) break;
        }
      }
    }
  },
});

const itemsAfter = (table: Table, range: KeyRange, after: string | null): Promise<Item[]> =>
  // The zero makes the smallest sort key behind `after`.
  table.query({ ...range, ...(after !== null && { from: `${after}\0` }), limit: ITEMS_AT_ONCE });

interface ItemsFamily<K extends Keyed> extends Omit<RangesFamily<K>, 'lines'> {
  shapes: readonly Shape[];
  more?: (item: Item, key: K) => Record<string, unknown>;
}

/** A family of ranges whose items become one line each. */
export const itemsFamily = <K extends Keyed>({ shapes, more, ...family }: ItemsFamily<K>): Section =>
  rangesFamily({
    ...family,
    lines: (_, items, key) => linesOf(family.name, shapes, items, more && ((item) => more(item, key))),
  });

/** A family that is one partition of the table. */
export const listFamily = (name: string, partition: (context: ExportContext) => PartitionKey, shape: Shape): Section =>
  itemsFamily({ name, keys: oneKey, ranges: (context) => [whole(partition(context))], shapes: [shape] });

/** A family whose keys each name records that are read in batches. */
export const batchesFamily = <K extends Keyed>(family: {
  name: string;
  keys: KeysFrom<K>;
  lines: (context: ExportContext, keys: readonly K[]) => Promise<Line[]>;
}): Section => ({
  name: family.name,
  async *pages(context, place) {
    for await (const keys of keyChunks(context, family.keys, place, RECORDS_AT_ONCE)) {
      const last = keys.at(-1);
      if (last) yield { lines: await family.lines(context, keys), place: finished(last) };
    }
  },
});

const FINISHED = Number.MAX_SAFE_INTEGER;
const finished = ({ id }: Keyed): Place => ({ key: id, range: FINISHED, after: null });

/** Reads the keys of a family in chunks, from the key of a place on. */
async function* keyChunks<K extends Keyed>(
  context: ExportContext,
  keysFrom: KeysFrom<K>,
  place: Place | null,
  size: number,
): AsyncGenerator<K[]> {
  let from = place?.key ?? null;
  let isDone = place?.range === FINISHED;
  for (;;) {
    const found = await keysFrom(context, from, size + 1);
    const keys = found.filter(({ id }) => !isDone || id !== from).slice(0, size);
    const last = keys.at(-1);
    if (!last) return;
    yield keys;
    from = last.id;
    isDone = true;
  }
}

export const oneKey: KeysFrom<Keyed> = async (_, from) => (from === null || from <= ONE ? [{ id: ONE }] : []);
const ONE = 'all';

/** The keys of a family that the plan of the export lists. */
export const plannedKeys =
  (list: (plan: ExportContext['plan']) => readonly string[]): KeysFrom<Keyed> =>
  async ({ plan }, from, limit) => {
    const ids = list(plan);
    const start = from === null ? 0 : ids.findIndex((id) => id >= from);
    return start < 0 ? [] : ids.slice(start, start + limit).map((id) => ({ id }));
  };

export const whole = (pk: PartitionKey): KeyRange => ({ pk });

/** A range of the items of a partition whose sort keys begin with a prefix. */
export const beginning = (pk: PartitionKey, prefix: string): KeyRange => ({ pk, from: prefix, to: `${prefix}\uffff` });

/**
 * Returns the keys of the records that a time series lists, in the order of the series. All months are read, also those
 * that the relay has not recorded yet.
 */
export const seriesKeys =
  <K extends Keyed>(series: string, keyOf: (entry: SeriesEntry) => K): KeysFrom<K> =>
  async ({ table, org, now }, from, limit) => {
    const months = monthsBetween(timeOfId(from ?? org), now);
    return (await firstEntries(table, org, series, months, from ?? undefined, limit)).map(keyOf);
  };

const RecordEntry = z.object({ id: z.string(), r: z.string() });

/** Returns the ids of the records that a time series lists, as `record`. */
export const recordKeys = (series: string): KeysFrom<Keyed & { record: string }> =>
  seriesKeys(series, (entry) => {
    const { id, r } = RecordEntry.parse(entry);
    return { id, record: r };
  });
