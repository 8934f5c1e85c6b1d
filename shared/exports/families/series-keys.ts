import * as z from 'zod';
import { timeOfId } from '#shared/base/ids.ts';
import { firstEntries, monthsBetween, type SeriesEntry } from '#shared/series/series-entries.ts';
import type { Keyed, KeysFrom } from '../walk.ts';

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
