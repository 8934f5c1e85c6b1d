import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, type FlowId, type Id, isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { countedStateOf } from '#shared/evidence/counted-trails.ts';
import { NO_PROVENANCE, type Provenance, provenanceOf } from '#shared/evidence/provenance.ts';
import {
  type ArtifactRecord,
  FlowPresence,
  findFingerprints,
  readArtifacts,
} from '#shared/evidence/records/artifact-records.ts';
import { type FlowHead, readFlowNames } from '#shared/evidence/records/flows.ts';
import { fingerprintFlowKey } from '#shared/evidence/records/keys.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import { readBesideFlow, readItemsBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { startOnce } from '#shared/evidence/reporting.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { placeKey, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { type EnvironmentEvent, readEvent } from '../records/environment-events.ts';
import { environmentEventKey } from '../records/keys.ts';
import { type Running, type Runs, readRunsBeside } from '../records/running.ts';
import { readShownArtifacts, type ShownArtifact } from './shown-artifacts.ts';

/** Artifacts of the organization that are checked for a prefix (rules/artifacts.md#prefixes). */
const CANDIDATES = 20;

/**
 * Reads the latest report of an artifact in a flow or in a trail (rules/artifacts.md#get-an-artifact).
 *
 * @param given the fingerprint may be a prefix
 * @param withStarts whether the last start in each environment is read as well
 * @throws ServiceError `not-found` if there is no such flow or artifact, `invalid` if several artifacts have the prefix
 */
export async function getArtifact(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  given: { flow: FlowName; fingerprint: string; trail?: TrailName | undefined },
  withStarts: boolean,
): Promise<{ artifact: ShownArtifact; starts: LastStart[] | undefined }> {
  const { table } = stores;
  const { fingerprint: prefix } = given;
  const candidates = startOnce(async () => {
    if (isFingerprint(prefix)) return [prefix];
    if (!isShaPrefix(prefix)) return [];
    return (await findFingerprints(table, org.id, prefix, CANDIDATES)).map(({ fingerprint }) => fingerprint);
  });
  const runsReading = startOnce(async () =>
    readRunsBeside(table, org.id, await candidates(), (running) =>
      withStarts ? [...running.values()].flatMap((runs) => startKeys(org.id, runs)) : [],
    ),
  );
  const { flow, reports } =
    given.trail === undefined
      ? await reportsInFlow(stores, org.id, given.flow, await candidates())
      : await reportsInTrail(stores, org.id, { flow: given.flow, trail: given.trail }, await candidates());
  if (!flow) throw unknownFlow({ flow: given.flow, org: org.name });
  const [report, other] = reports;
  if (other) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${prefix}]` });
  if (!report) throw artifactNotInFlow({ fingerprint: prefix, flow: given.flow, org: org.name });
  const place = { flow: flow.id, trail: report.trail };
  const [[record], judges, runtime, { runs, beside }] = await Promise.all([
    readArtifacts(table, org.id, [report.artifact]),
    report.judges ?? readTrailJudges(stores, org.id, [place]),
    readRuntimeEvents(table, org.id, place),
    runsReading(),
  ]);
  if (!record) throw artifactNotInFlow({ fingerprint: prefix, flow: given.flow, org: org.name });
  const [[artifact], starts] = await Promise.all([
    readShownArtifacts(stores, org.id, [record], () => flow.name, { judges, runs, runtime }),
    withStarts
      ? readLastStarts(stores, org.id, runs.byFingerprint.get(record.fingerprint) ?? [], { runs, events: beside })
      : undefined,
  ]);
  if (!artifact) throw new Error(`Artifact ${record.id} was read, but is not shown`);
  return { artifact, starts };
}

interface LatestReport {
  artifact: Id;
  trail: TrailName;
  /** The judge of the trail, if the trail was read to find the report. */
  judges?: TrailJudges;
}
interface Reports {
  flow: FlowHead | null;
  reports: LatestReport[];
}

/** Reads the flow, and with the same call the latest report of each fingerprint in it. */
async function reportsInFlow(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  name: FlowName,
  fingerprints: readonly Fingerprint[],
): Promise<Reports> {
  const keysIn = (flow: FlowId) => fingerprints.map((fingerprint) => fingerprintFlowKey(org, fingerprint, flow));
  const { flow, beside } = await readItemsBesideFlow(table, org, name, keysIn);
  if (!flow) return { flow, reports: [] };
  const items = keysIn(flow.id).flatMap((key) => beside.get(keyText(key)) ?? []);
  return { flow, reports: items.map((item) => FlowPresence.parse(item)) };
}

/** Reads the flow and the trail, and finds the latest report of each fingerprint in the trail. */
async function reportsInTrail(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  { flow: name, trail }: { flow: FlowName; trail: TrailName },
  fingerprints: readonly Fingerprint[],
): Promise<Reports> {
  const { flow, beside: read } = await readBesideFlow(stores.table, org, name, (id) =>
    readTrailState(stores.table, org, id, trail),
  );
  if (!flow || !read) return { flow, reports: [] };
  const place = { flow: flow.id, trail };
  const [template, state] = await Promise.all([
    loadTemplate(stores.table, stores.objects, org, read.state.template),
    countedStateOf(stores.table, org, place, read.state),
  ]);
  const judges = new Map([[placeKey(place), { judge: trailJudge(state, template) }]]);
  const slots = [...read.state.artifacts.values()].sort((a, b) => b.number - a.number);
  const latest = fingerprints.flatMap((digest) => slots.find(({ fingerprint }) => fingerprint === digest) ?? []);
  return { flow, reports: latest.map(({ id }) => ({ artifact: id, trail, judges })) };
}

/** The last start of an artifact in an environment (rules/artifacts.md#last-starts). */
export interface LastStart {
  /** Name of the environment. */
  environment: string;
  event: Pick<EnvironmentEvent, 'at' | 'index'>;
  /** Where the artifact came from. */
  provenance: Provenance;
  /** Where the artifact came from that ran before it; null if one of both reports is not known. */
  before: Provenance | null;
  /** The report of the artifact of the same name that ran before it; null if there was none or it is not known. */
  replaced: { record: ArtifactRecord; flow: string; filename: string } | null;
}

/** Environments that are shown, those with the newest starts. */
const MOST_ENVIRONMENTS = 20;
/** The starts that are shown: the last one in each environment, the newest first. */
const shownStarts = (running: readonly Running[]): (Running & { start: number })[] =>
  running
    .filter((run): run is Running & { start: number } => run.start !== undefined)
    .sort((a, b) => (b.startAt ?? b.at) - (a.startAt ?? a.at))
    .slice(0, MOST_ENVIRONMENTS);

/** The keys of the events of the starts that are shown. */
const startKeys = (org: OrganizationId, running: readonly Running[]): Key[] =>
  shownStarts(running).map(({ environment, start }) => environmentEventKey(org, environment, start));

/**
 * Reads what the starts replaced, newest start first. Starts in archived environments and starts without a written event
 * are left out. Takes two calls after one another, and a third for bodies in the bucket.
 *
 * @param running where the artifact runs
 * @param read the environments, and the items of {@link startKeys}
 */
async function readLastStarts(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  running: readonly Running[],
  { runs: { environments }, events }: { runs: Runs; events: ReadonlyMap<string, Item> },
): Promise<LastStart[]> {
  const starts = shownStarts(running).flatMap(({ environment, start }) => {
    const found = environments.get(environment);
    const item = events.get(keyText(environmentEventKey(org, environment, start)));
    return found?.archived === null && item ? [{ environment: found.name, event: readEvent(item) }] : [];
  });
  const reports = starts.flatMap(({ event: { report, previous } }) => [report ?? [], previous ?? []].flat());
  const records = await readArtifacts(table, org, [...new Set(reports)]);
  const [provenance, flows] = await Promise.all([
    provenanceOf(objects, org, records),
    readFlowNames(table, org, [...new Set(records.map(({ flow }) => flow))]),
  ]);
  const byId = new Map(records.map((record) => [record.id, record]));
  return starts.map(({ environment, event }) => {
    const { report, previous } = event;
    const record = previous === null ? undefined : byId.get(previous);
    return {
      environment,
      event,
      provenance: provenanceIn(report, provenance),
      before: report === null || previous === null ? null : provenanceIn(previous, provenance),
      replaced: record
        ? { record, flow: flows.get(record.flow) ?? '', filename: provenanceIn(record.id, provenance).filename }
        : null,
    };
  });
}

const provenanceIn = (report: string | null, provenance: ReadonlyMap<string, Provenance>): Provenance =>
  (report === null ? undefined : provenance.get(report)) ?? NO_PROVENANCE;
