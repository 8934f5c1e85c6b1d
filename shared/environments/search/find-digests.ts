import type { OrganizationId } from '#shared/base/ids.ts';
import { BuildEntry, CommitEntry, findByCommit, findFingerprints } from '#shared/evidence/records/artifact-records.ts';
import { shaPartition } from '#shared/evidence/records/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { findUnvouched, Unvouched } from '../records/running.ts';

/** Items of a partition that are read at once. A commit that was reported often can have more. */
const MOST_ITEMS = 500;

/**
 * Finds what begins with a text in all three indexes. They share the partition of the first five characters, which holds
 * few items, so one Query reads all of it. If it holds many, each index is read with a Query of its own.
 * @param limits most results of each index, of the reports the newest of the last commits
 * @returns each index in ascending order: first reports of fingerprints, reports by their commit, and what ran without a
 *   report (rules/lookups.md#search-sources)
 */
export async function findDigests(
  table: Table,
  org: OrganizationId,
  prefix: string,
  limits: { digests: number; reports: number },
) {
  const items = await table.query({ pk: shaPartition(org, prefix), newestFirst: true, limit: MOST_ITEMS });
  if (items.length === MOST_ITEMS) {
    const [builds, reports, unreported] = await Promise.all([
      findFingerprints(table, org, prefix, limits.digests),
      findByCommit(table, org, prefix, limits.reports),
      findUnvouched(table, org, prefix, limits.digests),
    ]);
    return { builds, reports, unreported };
  }
  const ascending = items.toReversed();
  const of = (kind: string): Item[] => ascending.filter(({ sk }) => sk.startsWith(`${kind}#${prefix}`));
  const [builds, reports, unreported] = [of('F'), of('C'), of('U')];
  return {
    builds: builds.slice(0, limits.digests).map((item) => BuildEntry.parse(item)),
    reports: reports.slice(-limits.reports).map((item) => CommitEntry.parse(item)),
    unreported: unreported.slice(0, limits.digests).map((item) => Unvouched.parse(item)),
  };
}

/** The latest report of each place, newest first. Ids sort by time. @param placeOf names the place of a report */
export function latestReports(reports: readonly CommitEntry[], placeOf: (report: CommitEntry) => readonly string[]) {
  const newestFirst = reports.toSorted((one, other) => (one.artifact < other.artifact ? 1 : -1));
  return [...Map.groupBy(newestFirst, (report) => placeOf(report).join()).values()].flatMap(([latest]) => latest ?? []);
}
