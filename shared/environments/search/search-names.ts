import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { CommitEntry } from '#shared/evidence/records/artifact-records.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { findDigests } from './find-digests.ts';
import { firstMatches, type Matches, MOST_OF_A_KIND, resolve } from './matches.ts';
import { findNamed } from './named-records.ts';
import { findTrails, matchingReports, readNewestReports, readNewestTrails } from './newest-records.ts';

export type { CommitEntry, Matches };

/** Reports of a commit that are read: several reports name the same commit. */
const REPORTS_OF_COMMITS = 200;

/** Finds records whose names or digests begin with a text; case does not count (rules/lookups.md#search-by-name). */
export async function searchNames(stores: Stores, org: Organization, text: string) {
  const { table, clock } = stores;
  const [byName, byDigest] = [findNamed(table, org, text), readDigests(stores, org, text)];
  const byCommit = Promise.all([byName, byDigest]).then(([{ allFlows }, found]) => {
    const present = new Set(allFlows.map(({ id }) => id));
    return firstMatches(found.reports.filter(({ flow }) => present.has(flow)));
  });
  const [named, newestTrails, digests, ofCommits, reports] = await Promise.all([
    byName,
    readNewestTrails(table, org.id, clock.now()),
    byDigest,
    byCommit,
    readNewestReports(
      stores,
      org.id,
      Promise.all([byDigest, byCommit]).then(([{ builds }, { items }]) =>
        [...builds, ...items].map(({ artifact }) => artifact),
      ),
    ),
  ]);
  const trails = await findTrails(table, org.id, text, newestTrails, named.allFlows);
  const artifacts = foundArtifacts(text, digests, reports);
  const flowNames = new Map(named.allFlows.map(({ id, name }) => [id, name]));
  const fileNames = new Map(reports.map(({ record, filename }) => [record.id, filename || record.name]));
  const names = [
    ...named.flows.items.map(({ name }) => name),
    ...named.environments.items.map(({ name }) => name),
    ...named.policies.items,
    ...named.controls.items.map(({ name }) => name),
    ...named.repos.items.map(({ name }) => name),
    ...trails.items.map(({ name }) => name),
    ...artifacts.flatMap(({ isByDigest, name }) => (isByDigest ? [] : [name])),
  ];
  const { flows, environments, policies, controls, repos } = named;
  return {
    resolved: resolve(text, { fingerprints: digests.fingerprints, commits: digests.commits, names }),
    flows,
    environments,
    policies,
    controls,
    repos,
    trails,
    artifacts: firstMatches(artifacts),
    commits: firstMatches(digests.commits),
    commitReports: ofCommits,
    /** Present names of flows by id. */
    flowNames,
    /** File names by id of the report. */
    fileNames,
  };
}

type Digests = Awaited<ReturnType<typeof readDigests>>;

/** Finds fingerprints and commits that begin with the text, as the search by digest does. */
async function readDigests({ table }: Pick<Stores, 'table'>, org: Organization, text: string) {
  const sha = text.toLowerCase();
  if (!isShaPrefix(sha)) return { builds: [], fingerprints: [], unreported: [], commits: [], reports: [] };
  const most = MOST_OF_A_KIND + 1;
  const limits = { digests: most, reports: REPORTS_OF_COMMITS };
  const { builds, reports, unreported: running } = await findDigests(table, org.id, sha, limits);
  const reported = new Set(builds.map(({ fingerprint }) => fingerprint));
  const unreported = running.filter(({ fingerprint }) => !reported.has(fingerprint));
  return {
    builds,
    fingerprints: [...reported, ...unreported.map(({ fingerprint }) => fingerprint)],
    unreported,
    commits: [...new Set(reports.map(({ commit }) => commit))],
    reports: latestInTrails(reports),
  };
}

function foundArtifacts(text: string, digests: Digests, reports: Parameters<typeof matchingReports>[0]) {
  const reported = matchingReports(reports, text, new Set(digests.fingerprints)).map(
    ({ report: { record, filename }, isByDigest }) => ({
      name: filename || record.name,
      fingerprint: record.fingerprint,
      flow: record.flow,
      id: record.id,
      isByDigest,
    }),
  );
  const running = digests.unreported.map(({ fingerprint, name }) => ({
    name,
    fingerprint,
    flow: null,
    id: null,
    isByDigest: true,
  }));
  return [...reported, ...running];
}

/** The latest report of each artifact in each trail, newest first. Ids sort by time. */
function latestInTrails(reports: readonly CommitEntry[]): CommitEntry[] {
  const newestFirst = reports.toSorted((one, other) => (one.artifact < other.artifact ? 1 : -1));
  const placeOf = ({ commit, flow, trail, fingerprint }: CommitEntry) => [commit, flow, trail, fingerprint].join();
  const latest = new Map<string, CommitEntry>();
  for (const report of newestFirst) if (!latest.has(placeOf(report))) latest.set(placeOf(report), report);
  return [...latest.values()];
}
