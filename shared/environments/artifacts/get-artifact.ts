import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, type FlowId, type Id, isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { FlowPresence, findFingerprints, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import { fingerprintFlowKey } from '#shared/evidence/records/keys.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { readBesideFlow, readItemsBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { startOnce } from '#shared/evidence/reporting.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { judgesOf, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import { keyText } from '#shared/table/table.ts';
import { readRunsBeside } from '../records/running.ts';
import { type LastStart, readLastStarts, startKeys } from './last-starts.ts';
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
  given: { flow: FlowName; fingerprint: string; trail?: string | undefined },
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

/** The latest report of an artifact. */
interface LatestReport {
  artifact: Id;
  trail: string;
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
  { flow: name, trail }: { flow: FlowName; trail: string },
  fingerprints: readonly Fingerprint[],
): Promise<Reports> {
  const { flow, beside: read } = await readBesideFlow(stores.table, org, name, (id) =>
    readTrailState(stores.table, org, id, trail),
  );
  if (!flow || !read) return { flow, reports: [] };
  const judges = await judgesOf(stores, org, [{ place: { flow: flow.id, trail }, state: read.state }]);
  const slots = [...read.state.artifacts.values()].sort((a, b) => b.number - a.number);
  const latest = fingerprints.flatMap((digest) => slots.find(({ fingerprint }) => fingerprint === digest) ?? []);
  return { flow, reports: latest.map(({ id }) => ({ artifact: id, trail, judges })) };
}
