import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { invalid } from '#shared/http/errors.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/http/sentences.ts';
import { isShaPrefix } from '#shared/reports/fingerprints.ts';
import { findFingerprints, readArtifacts, readFlowPresence } from '#shared/store/artifact-records.ts';
import { findFlow } from '#shared/store/flows.ts';
import { readTrailState } from '#shared/store/trails.ts';
import { ArtifactOut, artifactsOut } from './artifact-output.ts';

/** How many candidates of a prefix are looked at: more than one is already too many to answer. */
const CANDIDATES = 20;

/** GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}: the latest report in the flow, or in one trail (wire flows A3). */
export const getArtifact = endpoint({
  operation: 'getArtifact',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  summary: 'Get an artifact of a flow by its fingerprint',
  description: 'A prefix of 5 to 64 characters will do where it fits one artifact of the flow.',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), fingerprint: z.string() }),
  query: z.object({ trail: z.string().optional() }),
  body: { kind: 'none' },
  success: { 200: ArtifactOut },
  errors: [unknownFlow, artifactNotInFlow],
  handler: async ({ params, query, org, host }, services) => {
    const { table } = services;
    const prefix = params.fingerprint;
    const [flow, builds] = await Promise.all([
      findFlow(table, org.id, params.flow),
      isShaPrefix(prefix) ? findFingerprints(table, org.id, prefix, CANDIDATES) : [],
    ]);
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    const present = await Promise.all(builds.map(({ fingerprint }) => latestReport(fingerprint)));
    const ids = present.filter((id) => id !== null);
    if (ids.length > 1) throw invalid({ fingerprint: `Several artifacts begin with it [input: ${prefix}]` });
    const [record] = await readArtifacts(table, org.id, ids);
    if (!record) throw artifactNotInFlow({ fingerprint: prefix, flow: params.flow, org: org.name });
    const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
    const [artifact] = await artifactsOut(services, [record], reader);
    if (!artifact) throw new Error('A record without its output');
    return { status: 200, body: artifact };

    async function latestReport(fingerprint: string): Promise<string | null> {
      if (!flow) return null;
      if (query.trail === undefined)
        return (await readFlowPresence(table, org.id, fingerprint, flow.id))?.artifact ?? null;
      const trail = await readTrailState(table, org.id, flow.id, query.trail);
      const reports = [...(trail?.state.artifacts.values() ?? [])].filter((slot) => slot.fingerprint === fingerprint);
      return reports.sort((a, b) => b.number - a.number)[0]?.id ?? null;
    }
  },
});
