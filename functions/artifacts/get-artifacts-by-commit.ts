import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { findByCommit, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { isShaPrefix } from '#shared/evidence/sha-prefix.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ArtifactOut, artifactsOut } from './artifact-output.ts';

/**
 * GET /artifacts/{org}/{flow}/commit_sha/{sha}: the flow's artifacts of a commit, newest first
 * (rules/artifacts.md#artifacts-of-a-commit).
 */
export const getArtifactsByCommit = endpoint({
  operation: 'getArtifactsByCommit',
  method: 'GET',
  path: '/artifacts/{org}/{flow}/commit_sha/{sha}',
  summary: 'Get the artifacts of a commit',
  description: 'A prefix of at least 5 characters is enough. Each artifact is shown once, by its latest report.',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), sha: z.string() }),
  query: z.object({ trail: z.string().optional() }),
  body: { kind: 'none' },
  success: { 200: z.array(ArtifactOut) },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, services) => {
    const { table } = services;
    const [flow, entries] = await Promise.all([
      findFlow(table, org.id, params.flow),
      isShaPrefix(params.sha) ? findByCommit(table, org.id, params.sha) : [],
    ]);
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    // The entries of a commit are sorted by time, so the last entry of a fingerprint is its latest report.
    const latest = new Map(
      entries
        .filter((entry) => entry.flow === flow.id && (query.trail === undefined || entry.trail === query.trail))
        .map(({ fingerprint, artifact }) => [fingerprint, artifact]),
    );
    const records = await readArtifacts(table, org.id, [...latest.values()]);
    records.sort((a, b) => b.at - a.at);
    const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
    return { status: 200, body: await artifactsOut(services, records, reader) };
  },
});
