import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { Fingerprint, FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { erasedOut } from '#shared/bodies/erasure.ts';
import { type Runs, readRuns } from '#shared/environments/records/running.ts';
import { type ArtifactRecord, readArtifacts, readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { placeKey, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { FoundArtifact } from './search-output.ts';
import { whereItRuns } from './where-it-runs.ts';

/** What the indexes hold of a report of an artifact. */
export interface Report {
  artifact: Id;
  flow: FlowId;
  trail: string;
  fingerprint: Fingerprint;
}

const Facts = z.object({ filename: z.string(), build_url: z.string(), commit_url: z.string() });
type Facts = z.output<typeof Facts>;
const ERASED: Facts = { filename: '', build_url: '', commit_url: '' };

/** Everything that the output needs about some reports. */
interface ReportData {
  /** By id of the artifact. */
  records: Map<Id, { record: ArtifactRecord; facts: Facts }>;
  flowNames: Map<FlowId, string>;
  judges: TrailJudges;
  runs: Runs;
}

/**
 * Reads the reported artifacts that a search shows (rules/lookups.md#found-artifacts).
 *
 * The data of `firsts` is read before it is known whether these are the latest reports. If the first report of a
 * fingerprint is its only one, no further round trip follows.
 * @param firsts first reports of fingerprints; the latest report of the fingerprint in every flow is shown
 * @param reports reports that are shown themselves
 * @returns the artifacts, newest first
 */
export async function readFoundArtifacts(
  services: Services,
  { org, host }: { org: Organization; host: string },
  { firsts, reports }: { firsts: readonly Report[]; reports: readonly Report[] },
): Promise<FoundArtifact[]> {
  const [latest, early] = await Promise.all([
    readLatestReports(services, org.id, firsts),
    readReportData(services, org.id, [...firsts, ...reports]),
  ]);
  const wanted = [...new Map([...latest, ...reports].map((report) => [report.artifact, report])).values()];
  const late = wanted.filter(({ artifact }) => !early.records.has(artifact));
  const data = late.length === 0 ? early : merge(early, await readReportData(services, org.id, late));
  return wanted
    .map(({ artifact }) => data.records.get(artifact))
    .filter((found) => found !== undefined)
    .sort((one, other) => other.record.at - one.record.at)
    .map(({ record, facts }) => foundArtifact(record, facts, data, { org: org.name, host }));
}

async function readLatestReports(
  { table }: Services,
  org: OrganizationId,
  firsts: readonly Report[],
): Promise<Report[]> {
  const read = await Promise.all(
    firsts.map(async ({ fingerprint }) =>
      (await readFlowPresences(table, org, fingerprint)).map(({ artifact, flow, trail }) => ({
        artifact,
        flow,
        trail,
        fingerprint,
      })),
    ),
  );
  return read.flat();
}

/** Reads everything at the same time. Only bodies and names of environments need a second round trip. */
async function readReportData(
  services: Services,
  org: OrganizationId,
  reports: readonly Report[],
): Promise<ReportData> {
  const { table } = services;
  const fingerprints = [...new Set(reports.map(({ fingerprint }) => fingerprint))];
  const [records, flowNames, judges, runs] = await Promise.all([
    readRecords(services, org, reports),
    readFlowNames(
      table,
      org,
      reports.map(({ flow }) => flow),
    ),
    readTrailJudges(services, org, reports),
    readRuns(services.table, org, fingerprints),
  ]);
  return { records, flowNames, judges, runs };
}

async function readRecords(
  { table, objects }: Services,
  org: OrganizationId,
  reports: readonly Report[],
): Promise<ReportData['records']> {
  const ids = [...new Set(reports.map(({ artifact }) => artifact))];
  const records = await readArtifacts(table, org, ids);
  const read = await Promise.all(
    records.map(async (record) => {
      const text = await readBody(objects, org, record.facts);
      return [record.id, { record, facts: text === null ? ERASED : Facts.parse(parseJson(text)) }] as const;
    }),
  );
  return new Map(read);
}

const merge = (one: ReportData, other: ReportData): ReportData => ({
  records: new Map([...one.records, ...other.records]),
  flowNames: new Map([...one.flowNames, ...other.flowNames]),
  judges: new Map([...one.judges, ...other.judges]),
  runs: {
    byFingerprint: new Map([...one.runs.byFingerprint, ...other.runs.byFingerprint]),
    environments: new Map([...one.runs.environments, ...other.runs.environments]),
  },
});

function foundArtifact(
  record: ArtifactRecord,
  facts: Facts,
  data: ReportData,
  { org, host }: { org: string; host: string },
): FoundArtifact {
  const { id, fingerprint, commit, at } = record;
  const verdict = data.judges.get(placeKey(record))?.effective(fingerprint);
  if (!verdict) throw new Error(`Artifact ${id} is not in the trail that its record names`);
  const flow = data.flowNames.get(record.flow) ?? '';
  return {
    fingerprint,
    name: facts.filename || record.name,
    flow,
    git_commit: commit,
    has_provenance: true,
    commit_url: facts.commit_url,
    build_url: facts.build_url,
    html_url: `${absolute(host, `/${org}/flows/${flow}/artifacts/${fingerprint}`)}?artifact_id=${id}`,
    compliance_state: verdict.status,
    ...whereItRuns(fingerprint, data.runs, [{ event: `${record.name} reported`, at }]),
    ...erasedOut(record.facts.erased),
  };
}
