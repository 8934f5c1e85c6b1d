import * as z from 'zod';
import type { Fingerprint, FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { type ArtifactRecord, artifactsIn, readFlowPresencesOf } from '#shared/evidence/records/artifact-records.ts';
import { flowNamesIn } from '#shared/evidence/records/flows.ts';
import { artifactKey, flowHeadKey } from '#shared/evidence/records/keys.ts';
import { noMatches } from '#shared/evidence/rules/sentences.ts';
import type { EffectiveVerdict } from '#shared/evidence/rules/verdict.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { placeKey, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import { readEach } from '#shared/table/read-each.ts';
import { type Runs, readRuns, type Unvouched } from '../records/running.ts';
import { findDigests, latestReports } from './find-digests.ts';

/**
 * Matches that are read from each index. A caller with more matches gives a longer prefix
 * (rules/lookups.md#search-limits).
 */
const MOST_MATCHES = 1_000;
/** Artifacts in the answer, the newest ones. */
const MOST_ARTIFACTS = 100;

/**
 * Finds artifacts by fingerprint or commit (rules/lookups.md#search).
 *
 * @param sha in full or a prefix
 * @returns the reported fingerprints, then the others, and the commits; each list with the newest report or start first
 * @throws ServiceError `not-found` if nothing begins with it
 */
export async function searchSha(stores: Reading, org: Organization, sha: string) {
  if (!isShaPrefix(sha)) throw noMatches({ sha });
  const limits = { digests: MOST_MATCHES, reports: MOST_MATCHES };
  const { builds, reports, unreported: ran } = await findDigests(stores.table, org.id, sha, limits);
  const first = newestFirst(builds);
  const reported = new Set(fingerprintsOf(first));
  const unreported = newestFirst(ran.filter(({ fingerprint }) => !reported.has(fingerprint)));
  const newestReports = latestReports(reports, ({ commit, flow, fingerprint }) => [commit, flow, fingerprint]);
  const commits = [...new Set(newestReports.map(({ commit }) => commit))];
  const fingerprints = [...reported, ...fingerprintsOf(unreported)];
  if (fingerprints.length + commits.length === 0) throw noMatches({ sha });
  const firsts = first.slice(0, MOST_ARTIFACTS);
  const shown = {
    firsts,
    reports: newestReports.slice(0, MOST_ARTIFACTS),
    unreported: unreported.slice(0, MOST_ARTIFACTS - firsts.length),
  };
  return { fingerprints, commits, artifacts: await readFoundArtifacts(stores, org.id, shown) };
}

const newestFirst = <T extends { at: Micros }>(found: readonly T[]): T[] =>
  found.toSorted((one, other) => other.at - one.at);

/** What the indexes hold of a report of an artifact. */
interface Report {
  artifact: Id;
  flow: FlowId;
  trail: TrailName;
  fingerprint: Fingerprint;
}

const Facts = z.object({ filename: z.string(), build_url: z.string(), commit_url: z.string() });
type Facts = z.output<typeof Facts>;
const ERASED: Facts = { filename: '', build_url: '', commit_url: '' };

export interface FoundReport {
  record: ArtifactRecord;
  facts: Facts;
  verdict: EffectiveVerdict;
  /** Present name of the flow. */
  flow: string;
}

export interface FoundArtifacts {
  reported: FoundReport[];
  unreported: Unvouched[];
  runs: Runs;
}

/** Everything that the output needs about some reports, except where their artifacts run. */
interface ReportData {
  records: Map<Id, { record: ArtifactRecord; facts: Facts }>;
  flowNames: Map<FlowId, string>;
  judges: TrailJudges;
}
const NOTHING: ReportData = { records: new Map(), flowNames: new Map(), judges: new Map() };

/** Reports up to this number are read before it is known whether they are the latest. */
const MOST_EARLY = 20;

interface Matching {
  /** First reports of fingerprints. The latest report of the fingerprint in every flow is shown. */
  firsts: readonly Report[];
  reports: readonly Report[];
  unreported: readonly Unvouched[];
}

/**
 * Reads the artifacts that a search shows, the newest ones (rules/lookups.md#found-artifacts).
 *
 * The data of a few `firsts` is read before it is known whether these are the latest reports. If the first report of a
 * fingerprint is its only one, no further round trip follows.
 */
async function readFoundArtifacts(stores: Reading, org: OrganizationId, { firsts, reports, unreported }: Matching) {
  const known = [...firsts, ...reports];
  const [latest, early, runs] = await Promise.all([
    readLatestReports(stores, org, firsts),
    known.length <= MOST_EARLY ? readReportData(stores, org, known) : NOTHING,
    readRuns(stores.table, org, fingerprintsOf([...known, ...unreported])),
  ]);
  const wanted = [...new Map([...latest, ...reports].map((report) => [report.artifact, report])).values()]
    // Ids sort by time.
    .sort((one, other) => (one.artifact < other.artifact ? 1 : -1))
    .slice(0, MOST_ARTIFACTS);
  const late = wanted.filter(({ artifact }) => !early.records.has(artifact));
  const data = late.length === 0 ? early : merge(early, await readReportData(stores, org, late));
  const reported = wanted
    .map(({ artifact }) => data.records.get(artifact))
    .filter((found) => found !== undefined)
    .sort((one, other) => other.record.at - one.record.at)
    .map(({ record, facts }): FoundReport => {
      const verdict = data.judges.get(placeKey(record))?.judge.effective(record.fingerprint);
      if (!verdict) throw new Error(`Artifact ${record.id} is not in the trail that its record names`);
      return { record, facts, verdict, flow: data.flowNames.get(record.flow) ?? '' };
    });
  return { reported, unreported: unreported.slice(0, Math.max(0, MOST_ARTIFACTS - reported.length)), runs };
}

async function readLatestReports({ table }: Reading, org: OrganizationId, firsts: readonly Report[]) {
  const fingerprints = fingerprintsOf(firsts);
  const presences = await readFlowPresencesOf(table, org, fingerprints);
  return fingerprints.flatMap((fingerprint, i) =>
    (presences[i] ?? []).map(({ artifact, flow, trail }): Report => ({ artifact, flow, trail, fingerprint })),
  );
}

/** Reads everything at the same time. Only long facts need a second round trip. */
async function readReportData({ table, objects }: Reading, org: OrganizationId, reports: readonly Report[]) {
  const ids = [...new Set(reports.map(({ artifact }) => artifact))];
  const flows = [...new Set(reports.map(({ flow }) => flow))];
  const [found, judges] = await Promise.all([
    table.getMany([...ids.map((id) => artifactKey(org, id)), ...flows.map((id) => flowHeadKey(org, id))]),
    readTrailJudges({ table, objects }, org, reports),
  ]);
  const records = await readEach(artifactsIn(org, ids, found), async (record) => {
    const text = await readBody(objects, org, record.facts);
    return [record.id, { record, facts: text === null ? ERASED : Facts.parse(parseJson(text)) }] as const;
  });
  return { records: new Map(records), flowNames: flowNamesIn(org, flows, found), judges };
}

const fingerprintsOf = (found: readonly { fingerprint: Fingerprint }[]) => found.map(({ fingerprint }) => fingerprint);

const merge = (one: ReportData, other: ReportData): ReportData => ({
  records: new Map([...one.records, ...other.records]),
  flowNames: new Map([...one.flowNames, ...other.flowNames]),
  judges: new Map([...one.judges, ...other.judges]),
});
