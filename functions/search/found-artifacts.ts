import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { Fingerprint, FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { type Runs, readRuns } from '#shared/environments/records/running.ts';
import { type ArtifactRecord, readArtifacts, readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import { type TrailJudge, trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { FoundArtifact } from './search-output.ts';
import { whereItRuns } from './where-it-runs.ts';

/** A report of an artifact, as far as indexes tell. */
export interface Report {
  artifact: Id;
  flow: FlowId;
  trail: string;
  fingerprint: Fingerprint;
}

const Facts = z.object({ filename: z.string(), build_url: z.string(), commit_url: z.string() });
type Facts = z.output<typeof Facts>;
const ERASED: Facts = { filename: '', build_url: '', commit_url: '' };

/** What was read about reports, by the ids of what it is about. */
interface About {
  records: Map<Id, { record: ArtifactRecord; facts: Facts }>;
  flowNames: Map<FlowId, string>;
  judges: Map<string, TrailJudge>;
  runs: Runs;
}

/**
 * The artifacts that reports are about, newest first: each of `reports` itself, and of each of `firsts` the latest
 * report in every flow that holds the fingerprint. Two round trips where the first report of a fingerprint is its only
 * one; one more for others, for texts in the bucket, and for names of environments.
 */
export async function foundArtifacts(
  services: Services,
  { org, host }: { org: Organization; host: string },
  { firsts, reports }: { firsts: readonly Report[]; reports: readonly Report[] },
): Promise<FoundArtifact[]> {
  const [latest, early] = await Promise.all([
    latestReports(services, org.id, firsts),
    readAbout(services, org.id, [...firsts, ...reports]),
  ]);
  const wanted = [...new Map([...latest, ...reports].map((report) => [report.artifact, report])).values()];
  const late = wanted.filter(({ artifact }) => !early.records.has(artifact));
  const about = late.length === 0 ? early : joined(early, await readAbout(services, org.id, late));
  return wanted
    .map(({ artifact }) => about.records.get(artifact))
    .filter((found) => found !== undefined)
    .sort((one, other) => other.record.at - one.record.at)
    .map(({ record, facts }) => artifactFound(record, facts, about, { org: org.name, host }));
}

async function latestReports({ table }: Services, org: OrganizationId, firsts: readonly Report[]): Promise<Report[]> {
  const read = await Promise.all(
    firsts.map(async ({ fingerprint }) =>
      (await readFlowPresences(table, org, fingerprint)).map(({ artifact, flow, trail }) => ({
        ...{ artifact, flow, trail, fingerprint },
      })),
    ),
  );
  return read.flat();
}

const placeKey = ({ flow, trail }: Pick<Report, 'flow' | 'trail'>) => `${flow}#${trail}`;

/** Everything about reports at once: none of it waits for another part, but bodies and names of environments. */
async function readAbout(services: Services, org: OrganizationId, reports: readonly Report[]): Promise<About> {
  const { table } = services;
  const places = new Map(reports.map((report) => [placeKey(report), report]));
  const fingerprints = [...new Set(reports.map(({ fingerprint }) => fingerprint))];
  const [records, flowNames, judges, runs] = await Promise.all([
    readRecords(services, org, reports),
    readFlowNames(
      table,
      org,
      reports.map(({ flow }) => flow),
    ),
    Promise.all([...places].map(async ([key, place]) => [key, await judgeOf(services, org, place)] as const)),
    readRuns(services.table, org, fingerprints),
  ]);
  return { records, flowNames, judges: new Map(judges), runs };
}

async function readRecords(
  { table, objects }: Services,
  org: OrganizationId,
  reports: readonly Report[],
): Promise<About['records']> {
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

async function judgeOf(
  { table, objects }: Services,
  org: OrganizationId,
  { flow, trail }: Pick<Report, 'flow' | 'trail'>,
): Promise<TrailJudge> {
  const read = await readTrailState(table, org, flow, trail);
  if (!read) throw new Error(`Artifacts name the trail ${trail}, which is not there`);
  return trailJudge(read.state, await loadTemplate(table, objects, org, read.state.template));
}

const joined = (one: About, other: About): About => ({
  records: new Map([...one.records, ...other.records]),
  flowNames: new Map([...one.flowNames, ...other.flowNames]),
  judges: new Map([...one.judges, ...other.judges]),
  runs: {
    byFingerprint: new Map([...one.runs.byFingerprint, ...other.runs.byFingerprint]),
    environments: new Map([...one.runs.environments, ...other.runs.environments]),
  },
});

function artifactFound(
  record: ArtifactRecord,
  facts: Facts,
  about: About,
  { org, host }: { org: string; host: string },
): FoundArtifact {
  const { id, fingerprint, commit, at } = record;
  const verdict = about.judges.get(placeKey(record))?.effective(fingerprint);
  if (!verdict) throw new Error(`Artifact ${id} is not in its trail`);
  const flow = about.flowNames.get(record.flow) ?? '';
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
    ...whereItRuns(fingerprint, about.runs, [{ event: `${record.name} reported`, at }]),
  };
}
