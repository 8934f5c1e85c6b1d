import * as z from 'zod';
import { isFingerprint } from '#shared/base/ids.ts';
import { readFlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { readBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { stateDiffers } from '#shared/http/sentences.ts';
import { summarizeArtifact } from '#shared/log/statements/summarize-trail.ts';
import { FORMAT, STATEMENT, STATEMENT_ERRORS, statementAnswer } from './statement-answer.ts';

/**
 * GET /artifacts/{org}/{flow}/fingerprint/{fingerprint}/statement: the signed verdict on an artifact in a trail
 * (rules/log.md#statement-of-an-artifact).
 */
export const getArtifactStatement = endpoint({
  ...STATEMENT,
  operation: 'getArtifactStatement',
  path: '/artifacts/{org}/{flow}/fingerprint/{fingerprint}/statement',
  summary: 'Get a signed statement of the verdict on an artifact',
  params: z.object({ org: z.string(), flow: z.string(), fingerprint: z.string() }),
  query: z.object({
    ...FORMAT,
    trail: z.string().optional().meta({ description: 'The trail; by default that of the latest report' }),
  }),
  errors: [...STATEMENT_ERRORS, stateDiffers, unknownFlow, artifactNotInFlow],
  handler: async ({ params, query, org, host }, services) => {
    const { table } = services;
    const { fingerprint } = params;
    const missing = () => artifactNotInFlow({ fingerprint, flow: params.flow, org: org.name });
    const { flow, beside: trail } = await readBesideFlow(table, org.id, params.flow, async (id) => {
      if (!isFingerprint(fingerprint)) return null;
      const name = query.trail ?? (await readFlowPresence(table, org.id, fingerprint, id))?.trail;
      return name === undefined ? null : readTrailState(table, org.id, id, name);
    });
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    if (!trail || !isFingerprint(fingerprint)) throw missing();
    const place = { host, org };
    const summarize = summarizeArtifact(services, place, { flow, ...trail }, fingerprint);
    if (!summarize) throw missing();
    const about = ['artifact', flow.id, trail.head.id, fingerprint, trail.state.number];
    return statementAnswer(services, place, query.format, about, summarize);
  },
});
