import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Lists

/** Catalogue entries lie in this many partitions per kind, read at once (design §4.3). */
export const CATALOGUE_SHARDS = 8;
export const cataloguePartition = (org: OrganizationId, kind: string, shard: number): string =>
  family(org, 'CATALOGUE', kind, String(shard));
/** The last digit of an id is random: it spreads entries evenly. */
export const catalogueKey = (org: OrganizationId, kind: string, id: Id): Key => ({
  pk: cataloguePartition(org, kind, Number.parseInt(id.slice(-1), 16) % CATALOGUE_SHARDS),
  sk: id,
});
/** What the relay derives about a flow: its latest activity and state. Beside the catalogue entry, never over it. */
export const activityKey = (org: OrganizationId, kind: string, id: Id): Key => {
  const { pk } = catalogueKey(org, kind, id);
  return { pk, sk: `${id}#ACTIVITY` };
};

/** Entries of a time series: cut by month (`202611`), a shard digit reserved (design §2.9). */
export const seriesPartition = (org: OrganizationId, series: string, month: string): string =>
  family(org, 'SERIES', series, month, '0');
export const seriesDirectory = (org: OrganizationId, series: string): string => family(org, 'MILESTONES', series);
/** The months in which a series has entries. */
export const seriesMonthsKey = (org: OrganizationId, series: string): Key => ({
  pk: seriesDirectory(org, series),
  sk: 'HEAD',
});
/** A milestone by how many entries come before it. */
export const seriesMilestoneKey = (org: OrganizationId, series: string, total: number): Key => ({
  pk: seriesDirectory(org, series),
  sk: `M#${sequence(total)}`,
});
/** The same milestone by the entry that it begins with. */
export const seriesMilestoneIdKey = (org: OrganizationId, series: string, first: Id): Key => ({
  pk: seriesDirectory(org, series),
  sk: `I#${first}`,
});
/** The series that may have earned milestones which nobody appended yet, for the relay's sweeps. */
export const dueSeriesList = (org: OrganizationId): string => family(org, 'SERIESLIST');
export const dueSeriesKey = (org: OrganizationId, series: string): Key => ({ pk: dueSeriesList(org), sk: series });
/** What {@link seriesPartition} was made from; null for every other partition. */
export const readSeriesPartition = (pk: string): { org: OrganizationId; series: string; month: string } | null => {
  const [org = '', name, series = '', month = ''] = pk.split('#');
  return name === 'SERIES' ? { org: storedId(org), series, month } : null;
};
