import type { OrganizationId } from '#shared/base/ids.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { baseOf } from './facets.ts';
import { readSeriesPartition } from './keys.ts';
import type { SeriesEntry } from './series-entries.ts';

/** A new entry of a base series. */
export interface NewEntry {
  org: OrganizationId;
  series: string;
  month: string;
  /** The texts of the entry. Filters use no attributes of other types. */
  entry: SeriesEntry;
}

/** Reads a new entry of a base series; null for other items. The relay itself writes facets, and registers their months. */
export function readNewEntry(streamed: StreamItem): NewEntry | null {
  const found = readSeriesPartition(streamed.pk);
  if (!found || baseOf(found.series) !== null) return null;
  const { pk: _, sk: id, v: __, ...attributes } = streamed.item;
  const texts = Object.entries(attributes).filter(([, value]) => typeof value === 'string');
  return { ...found, entry: { ...Object.fromEntries(texts), id } };
}
