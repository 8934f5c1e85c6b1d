import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn, sequence } from '#shared/table/keys.ts';

// Lists

/** All entries of a kind lie in one partition, so one Query reads them (rules/lists.md#catalogue-entries). */
export const cataloguePartition = (org: OrganizationId, kind: string): PartitionKey => family(org, 'CATALOGUE', kind);
export const catalogueKey = (org: OrganizationId, kind: string, id: Id): Key =>
  keyIn(cataloguePartition(org, kind), id);
/**
 * The key of the facts that the relay derives: latest activity and state. The item lies beside the entry of the
 * catalogue.
 */
export const activityKey = (org: OrganizationId, kind: string, id: Id): Key => {
  const { pk } = catalogueKey(org, kind, id);
  return keyIn(pk, `${id}#ACTIVITY`);
};

/**
 * The partition of the entries of a time series in one month (`202611`). A shard digit is reserved
 * (rules/storage.md#partitions).
 */
export const seriesPartition = (org: OrganizationId, series: string, month: string): PartitionKey =>
  family(org, 'SERIES', series, month, '0');
export const seriesDirectory = (org: OrganizationId, series: string): PartitionKey => family(org, 'MILESTONES', series);
/** The months in which a series has entries. The key sorts directly after the newest milestone, so that one Query reads both. */
export const seriesMonthsKey = (org: OrganizationId, series: string): Key =>
  keyIn(seriesDirectory(org, series), 'MONTHS');
/** The key of a milestone by the number of entries before it. */
export const seriesMilestoneKey = (org: OrganizationId, series: string, total: number): Key =>
  keyIn(seriesDirectory(org, series), `M#${sequence(total)}`);
/** The key of the same milestone by its first entry. */
export const seriesMilestoneIdKey = (org: OrganizationId, series: string, first: Id): Key =>
  keyIn(seriesDirectory(org, series), `I#${first}`);
/** The list of series that may have complete milestones, for the sweeps of the relay. */
export const dueSeriesList = (org: OrganizationId): PartitionKey => family(org, 'SERIESLIST');
export const dueSeriesKey = (org: OrganizationId, series: string): Key => keyIn(dueSeriesList(org), series);
/** Reads the parts of a {@link seriesPartition}; null for other partitions. */
export const readSeriesPartition = (
  pk: PartitionKey,
): { org: OrganizationId; series: string; month: string } | null => {
  const [org = '', name, series = '', month = ''] = pk.split('#');
  return name === 'SERIES' ? { org: storedId(org), series, month } : null;
};
