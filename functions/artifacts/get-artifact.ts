import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, type FlowId, type Id, isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readRunsBeside } from '#shared/environments/records/running.ts';
import { FlowPresence, findFingerprints, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import { fingerprintFlowKey } from '#shared/evidence/records/keys.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { readBesideFlow, readItemsBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { startOnce } from '#shared/evidence/reporting.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { judgesOf, readTrailJudges, type TrailJudges } from '#shared/evidence/trail-judges.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { keyText } from '#shared/table/table.ts';
import { ArtifactOut, artifactsOut } from './artifact-output.ts';
import { LastStart, readLastStarts, startKeys } from './last-starts.ts';

/** Artifacts of the organization that are checked for a prefix (rules/artifacts.md#prefixes). */
const CANDIDATES = 20;

const ArtifactWithStarts = ArtifactOut.extend({
  starts: z
    .array(LastStart)
    .optional()
    .meta({ description: 'The last start in each environment, newest first; at most 20. Only with `include=starts`' }),
}).meta({ id: 'ArtifactWithStarts' });

/**
 * GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}: the latest report of an artifact in a flow or in a trail
 * (rules/artifacts.md#get-an-artifact).
 */
export const getArtifact = endpoint({
  operation: 'getArtifact',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  summary: 'Get an artifact of a flow by its fingerprint',
  description: 'A prefix of at least 5 characters is enough if exactly one artifact of the flow begins with it.',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), fingerprint: z.string() }),
  query: z.object({
    trail: z.string().optional(),
    include: listField(z.enum(['starts']))
      .default([])
      .meta({ description: '`starts`: the last start in each environment, with what it replaced' }),
  }),
  body: { kind: 'none' },
  success: { 200: ArtifactWithStarts },
  errors: [unknownFlow, artifactNotInFlow],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const { table } = services;
    const prefix = params.fingerprint;
    const candidates = startOnce(async () => {
      if (isFingerprint(prefix)) return [prefix];
      if (!isShaPrefix(prefix)) return [];
      return (await findFingerprints(table, org.id, prefix, CANDIDATES)).map(({ fingerprint }) => fingerprint);
    });
    const runsReading = startOnce(async () =>
      readRunsBeside(table, org.id, await candidates(), (running) =>
        query.include.includes('starts') ? [...running.values()].flatMap((runs) => startKeys(org.id, runs)) : [],
      ),
    );
    const { flow, reports } =
      query.trail === undefined
        ? await reportsInFlow(services, org.id, params.flow, await candidates())
        : await reportsInTrail(services, org.id, { flow: params.flow, trail: query.trail }, await candidates());
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    const [report, other] = reports;
    if (other) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${prefix}]` });
    if (!report) throw artifactNotInFlow({ fingerprint: prefix, flow: params.flow, org: org.name });
    const place = { flow: flow.id, trail: report.trail };
    const [[record], judges, runtime, { runs, beside }] = await Promise.all([
      readArtifacts(table, org.id, [report.artifact]),
      report.judges ?? readTrailJudges(services, org.id, [place]),
      readRuntimeEvents(table, org.id, place),
      runsReading(),
    ]);
    if (!record) throw artifactNotInFlow({ fingerprint: prefix, flow: params.flow, org: org.name });
    const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
    const [[artifact], starts] = await Promise.all([
      artifactsOut(services, [record], reader, { judges, runs, runtime }),
      query.include.includes('starts')
        ? readLastStarts(services, reader, runs.byFingerprint.get(record.fingerprint) ?? [], { runs, events: beside })
        : undefined,
    ]);
    if (!artifact) throw new Error(`Artifact ${record.id} has no output`);
    return { status: 200, body: { ...artifact, ...(starts && { starts }) } };
  },
});

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
  { table }: Services,
  org: OrganizationId,
  name: string,
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
  services: Services,
  org: OrganizationId,
  { flow: name, trail }: { flow: string; trail: string },
  fingerprints: readonly Fingerprint[],
): Promise<Reports> {
  const { flow, beside: read } = await readBesideFlow(services.table, org, name, (id) =>
    readTrailState(services.table, org, id, trail),
  );
  if (!flow || !read) return { flow, reports: [] };
  const judges = await judgesOf(services, org, [{ place: { flow: flow.id, trail }, state: read.state }]);
  const slots = [...read.state.artifacts.values()].sort((a, b) => b.number - a.number);
  const latest = fingerprints.flatMap((digest) => slots.find(({ fingerprint }) => fingerprint === digest) ?? []);
  return { flow, reports: latest.map(({ id }) => ({ artifact: id, trail, judges })) };
}
