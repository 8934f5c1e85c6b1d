import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { CONTROLS } from '#shared/controls/rules/series-kinds.ts';
import { listedRepos } from '#shared/evidence/records/repo-records.ts';
import { FLOWS, REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { POLICIES } from '#shared/policies/rules/series-kinds.ts';
import { readCatalogues } from '#shared/series/catalogue.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { findDigests, latestReports } from './find-digests.ts';
import { byName, firstMatches, type Matches, MOST_OF_A_KIND, resolve } from './matches.ts';
import { findTrails, matchingReports, readNewestReports, readNewestTrails } from './newest-records.ts';

export type { Matches };

/** Reports of a commit that are read: several reports name the same commit. */
const REPORTS_OF_COMMITS = 200;

/** Finds records whose names or digests begin with a text; case does not count (rules/lookups.md#search-by-name). */
export async function searchNames(stores: Stores, org: Organization, text: string) {
  const { table, clock } = stores;
  const [inCatalogues, byDigest] = [findNamed(table, org, text), readDigests(stores, org, text)];
  const byCommit = Promise.all([inCatalogues, byDigest]).then(([{ allFlows }, found]) => {
    const present = new Set(allFlows.map(({ id }) => id));
    return firstMatches(found.reports.filter(({ flow }) => present.has(flow)));
  });
  const [named, newestTrails, digests, ofCommits, reports] = await Promise.all([
    inCatalogues,
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
  const { allFlows: _, ...shown } = named;
  return {
    ...shown,
    resolved: resolve(text, { fingerprints: digests.fingerprints, commits: digests.commits, names }),
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

/**
 * Finds the records of catalogues whose names begin with a text (rules/lookups.md#search-by-name). Reads the entries of each
 * catalogue, as the lists of these records do. Controls are left out if the organization does not have the feature.
 */
async function findNamed(table: Table, org: Organization, text: string) {
  const kinds = { flows: FLOWS, environments: ENVIRONMENTS, policies: POLICIES, repos: REPOS };
  const hasControls = org.features.includes('controls');
  const read = await readCatalogues(table, org.id, { ...kinds, ...(hasControls && { controls: CONTROLS }) });
  const flows = [...read.flows.values()].map(({ id, entry, activity }) => ({
    id,
    name: String(entry['n']),
    latest: Number(activity?.['at'] ?? 0),
  }));
  const environments = entriesOf(read.environments).map(({ n, k }) => ({ name: String(n), type: String(k) }));
  const policies = entriesOf(read.policies).map(({ n }) => String(n));
  const controls = entriesOf(read.controls ?? new Map()).map(({ n, i, a }) => ({
    name: String(n),
    identifier: String(i),
    archived: a === true,
  }));
  return {
    allFlows: flows,
    flows: byName(flows, text, ({ name }) => [name]),
    environments: byName(environments, text, ({ name }) => [name]),
    policies: byName(policies, text, (name) => [name]),
    controls: byName(controls, text, ({ name, identifier }) => [name, identifier]),
    // People know a repository by the last part of its name too: `web` of `acme/web`.
    repos: byName(listedRepos(read.repos), text, ({ name }) => [name, name.slice(name.lastIndexOf('/') + 1)]),
  };
}

const entriesOf = (catalogue: ReadonlyMap<unknown, { entry: Item }>): Item[] =>
  [...catalogue.values()].map(({ entry }) => entry);

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
    reports: latestReports(reports, ({ commit, flow, trail, fingerprint }) => [commit, flow, trail, fingerprint]),
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
