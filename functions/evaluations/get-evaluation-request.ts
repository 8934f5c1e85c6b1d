import * as z from 'zod';
import { RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import { type AskedEvaluation, getEvaluationRequest as get } from '#shared/evaluations/read-evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const RequestOut = z
  .object({
    id: z.string().meta({ description: 'Id of the evaluation' }),
    requested_by: z
      .object({
        name: z.string().meta({ description: 'Name of the user or service account' }),
        kind: z.enum(['user', 'service-account']).meta({ description: 'Kind of the caller' }),
      })
      .meta({ description: 'Who asked for the evaluation' }),
    identity: CallerIdentity,
    requested_at: z.number().describe('When the evaluation was asked for, in seconds since the epoch'),
    recorded_at: z.number().meta({ description: 'The instant as of which every trail of the context is read' }),
    trails: z
      .array(
        z.object({
          flow: z.string().meta({ description: 'Name of the flow when the evaluation was asked for' }),
          trail: z.string().meta({ description: 'Name of the trail' }),
          moment: z.int().meta({ description: 'The last moment that is read; 0 if the trail had none yet' }),
        }),
      )
      .nullable()
      .meta({ description: 'The trails that are evaluated; null once they were erased' }),
    files: z
      .array(
        z.object({
          path: z.string().meta({ description: 'Path of the file' }),
          text: z.string().meta({ description: 'Content of the file' }),
        }),
      )
      .nullable()
      .meta({ description: 'Files of the policy program, by path; null once they were erased' }),
    params: z.unknown().meta({ description: 'Parameters of the request; null without, and once they were erased' }),
    decision: z
      .object({
        control: z.string().meta({ description: 'Identifier of the control' }),
        name: z.string().meta({ description: 'Name of the attestation' }),
        flow: z.string().meta({ description: 'Flow that gets the decision' }),
        trail: z.string().meta({ description: 'Trail that gets the decision' }),
        fingerprint: z.string().nullable().meta({ description: 'Artifact of the decision; null for the whole trail' }),
      })
      .nullable()
      .meta({ description: 'The decision that the request asked to record' }),
    erased: ErasureOut,
  })
  .meta({ id: 'EvaluationRequested' });

/** GET …/{evaluation_id}/request: what an evaluation was asked for (rules/evaluations.md#read-the-request). */
export const getEvaluationRequest = endpoint({
  operation: 'getEvaluationRequest',
  method: 'GET',
  path: '/evaluations/{org}/{evaluation_id}/request',
  summary: 'Get what an evaluation was asked for: caller, trails, policy program, parameters, decision',
  description: 'Large policy programs need `Accept-Encoding: gzip`.',
  access: 'reader',
  feature: 'evaluations',
  success: { 200: RequestOut },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, org }, stores: Pick<Stores, 'table' | 'objects'>) => ({
    status: 200,
    body: requestOut(await get(stores, org, params.evaluation_id)),
  }),
});

const requestOut = ({
  record: { id, by, requested, recorded, decision, erased },
  pins,
  files,
  params,
}: AskedEvaluation): z.input<typeof RequestOut> => ({
  id,
  requested_by: { name: by.name, kind: by.kind },
  identity: by.identity ?? null,
  requested_at: toSeconds(requested),
  recorded_at: toSeconds(recorded),
  trails: pins.map(({ flowName, trail, number }) => ({ flow: flowName, trail, moment: number })),
  files,
  params: params === null ? null : new RawJson(params),
  decision: decision && {
    control: decision.control,
    name: decision.name,
    flow: decision.flow,
    trail: decision.trail,
    fingerprint: decision.fingerprint,
  },
  ...erasedOut(erased),
});
