import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import type { Fingerprint, FlowId } from '#shared/base/ids.ts';
import { isFingerprint } from '#shared/base/ids.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readRuns } from '#shared/environments/records/running.ts';
import {
  type BuildEntry,
  findFingerprints,
  readArtifacts,
  readFlowPresence,
} from '#shared/evidence/records/artifact-records.ts';
import { readRuntimeEvents } from '#shared/evidence/records/runtime-events.ts';
import { readBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { startOnce } from '#shared/evidence/reporting.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { readTrailJudges } from '#shared/evidence/trail-judges.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import { ArtifactOut, artifactsOut } from './artifact-output.ts';
import { LastStart, readLastStarts } from './last-starts.ts';

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
    const builds = startOnce(async () => {
      if (isFingerprint(prefix)) return [prefix];
      return isShaPrefix(prefix) ? findFingerprints(table, org.id, prefix, CANDIDATES).then(fingerprints) : [];
    });
    const runs = startOnce(async () => readRuns(table, org.id, await builds()));
    const { flow, beside: reports } = await readBesideFlow(table, org.id, params.flow, async (id) =>
      (await Promise.all((await builds()).map((fingerprint) => latestReport(id, fingerprint)))).filter(
        (report) => report !== null,
      ),
    );
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    if (reports.length > 1) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${prefix}]` });
    const [record, judges, runtime] = await Promise.all([
      readArtifacts(
        table,
        org.id,
        reports.map(({ artifact }) => artifact),
      ).then(([first]) => first),
      readTrailJudges(
        services,
        org.id,
        reports.map(({ trail }) => ({ flow: flow.id, trail })),
      ),
      Promise.all(
        reports.map(({ trail }) => readRuntimeEvents(table, org.id, { flow: flow.id, trail }, services.clock.now())),
      ),
    ]);
    if (!record) throw artifactNotInFlow({ fingerprint: prefix, flow: params.flow, org: org.name });
    const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
    const alreadyRead = { judges, runs: await runs(), runtime: runtime.flat() };
    const [[artifact], starts] = await Promise.all([
      artifactsOut(services, [record], reader, alreadyRead),
      query.include.includes('starts') ? readLastStarts(services, reader, record.fingerprint) : undefined,
    ]);
    if (!artifact) throw new Error(`Artifact ${record.id} has no output`);
    return { status: 200, body: { ...artifact, ...(starts && { starts }) } };

    async function latestReport(
      flowId: FlowId,
      fingerprint: Fingerprint,
    ): Promise<{ artifact: string; trail: string } | null> {
      if (query.trail === undefined) return readFlowPresence(table, org.id, fingerprint, flowId);
      const trail = await readTrailState(table, org.id, flowId, query.trail);
      const reported = [...(trail?.state.artifacts.values() ?? [])].filter((slot) => slot.fingerprint === fingerprint);
      const latest = reported.reduce<(typeof reported)[number] | null>(
        (newest, slot) => (newest && newest.number > slot.number ? newest : slot),
        null,
      );
      return latest && { artifact: latest.id, trail: query.trail };
    }
  },
});

const fingerprints = (builds: readonly BuildEntry[]) => builds.map(({ fingerprint }) => fingerprint);
