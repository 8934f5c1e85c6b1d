import type { Fingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { CommitEntry } from '#shared/evidence/records/artifact-records.ts';
import { noMatches } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { findDigests } from './find-digests.ts';
import { type FoundArtifacts, type FoundReport, readFoundArtifacts } from './found-artifacts.ts';

export type { FoundArtifacts, FoundReport };

/**
 * Matches that are read from each index. A caller with more matches gives a longer prefix
 * (rules/lookups.md#search-limits).
 */
const MOST_MATCHES = 1_000;
/** Artifacts in the answer, the newest ones. */
const MOST_ARTIFACTS = 100;

interface FoundBySha {
  /** Newest first; those that were reported come first. */
  fingerprints: Fingerprint[];
  /** The commit of the newest report comes first. */
  commits: string[];
  artifacts: FoundArtifacts;
}

/**
 * Finds artifacts by fingerprint or commit (rules/lookups.md#search).
 *
 * @param sha in full or a prefix
 * @throws ServiceError `not-found` if nothing begins with it
 */
export async function searchSha(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  sha: string,
): Promise<FoundBySha> {
  if (!isShaPrefix(sha)) throw noMatches({ sha });
  const limits = { digests: MOST_MATCHES, reports: MOST_MATCHES };
  const { builds, reports, unreported: ran } = await findDigests(stores.table, org.id, sha, limits);
  const first = newestFirst(builds);
  const reported = new Set(first.map(({ fingerprint }) => fingerprint));
  const unreported = newestFirst(ran.filter(({ fingerprint }) => !reported.has(fingerprint)));
  const commits = commitsOf(reports);
  const fingerprints = [...reported, ...unreported.map(({ fingerprint }) => fingerprint)];
  if (fingerprints.length + commits.length === 0) throw noMatches({ sha });
  const firsts = first.slice(0, MOST_ARTIFACTS);
  const shown = {
    firsts,
    reports: latestOf(reports).slice(0, MOST_ARTIFACTS),
    unreported: unreported.slice(0, MOST_ARTIFACTS - firsts.length),
  };
  return { fingerprints, commits, artifacts: await readFoundArtifacts(stores, org.id, shown, MOST_ARTIFACTS) };
}

const newestFirst = <T extends { at: Micros }>(found: readonly T[]): T[] =>
  found.toSorted((one, other) => other.at - one.at);

/** Sorts the newest report first, because ids sort by time. */
const byNewestReport = (one: CommitEntry, other: CommitEntry) => (one.artifact < other.artifact ? 1 : -1);

/** The distinct commits of the reports. The commit of the newest report comes first. */
const commitsOf = (reports: readonly CommitEntry[]): string[] => [
  ...new Set(reports.toSorted(byNewestReport).map(({ commit }) => commit)),
];

/** The latest report of each combination of commit, flow and fingerprint, newest first. */
function latestOf(reports: readonly CommitEntry[]): CommitEntry[] {
  const latest = new Map<string, CommitEntry>();
  for (const report of reports.toSorted(byNewestReport)) {
    const key = [report.commit, report.flow, report.fingerprint].join();
    if (!latest.has(key)) latest.set(key, report);
  }
  return [...latest.values()];
}
