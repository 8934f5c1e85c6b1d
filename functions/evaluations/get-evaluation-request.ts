import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { parseJson, RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import {
  type EvaluationRecord,
  readEvaluation,
  readEvaluationBody,
  readPins,
} from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';

const RequestOut = z
  .object({
    id: z.string().meta({ description: 'Id of the evaluation' }),
    requested_by: z
      .object({
        name: z.string().meta({ description: 'Name of the user or service account' }),
        kind: z.enum(['user', 'service-account']).meta({ description: 'Kind of the caller' }),
      })
      .meta({ description: 'Who asked for the evaluation' }),
    identity: VerifiedIdentity.nullable(),
    requested_at: z.number(),
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
    erased: ErasureOut.optional(),
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
  params: z.object({ org: z.string(), evaluation_id: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: RequestOut },
  errors: [evaluationNotFound],
  uses: READ_BODIES,
  handler: async ({ params, org }, services) => {
    const record = await readEvaluation(services.table, org.id, params.evaluation_id);
    if (!record) throw evaluationNotFound();
    return { status: 200, body: await requestOut(services, org.id, record) };
  },
});

async function requestOut(
  { objects }: Pick<Services, 'objects'>,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<z.input<typeof RequestOut>> {
  const { id, by, requested, recorded, decision } = record;
  const [pins, files, values] = await Promise.all([
    readPins(objects, org, record),
    readEvaluationBody(objects, org, record, 'policy'),
    readEvaluationBody(objects, org, record, 'params'),
  ]);
  return {
    id,
    requested_by: { name: by.name, kind: by.kind },
    identity: by.identity ?? null,
    requested_at: toSeconds(requested),
    recorded_at: toSeconds(recorded),
    trails: pins.map(({ flowName, trail, number }) => ({ flow: flowName, trail, moment: number })),
    files: files === null ? null : filesOf(files),
    params: values === null ? null : new RawJson(values),
    decision: decision && {
      control: decision.control,
      name: decision.name,
      flow: decision.flow,
      trail: decision.trail,
      fingerprint: decision.fingerprint,
    },
    ...erasedOut(record.erased),
  };
}

/** A list, because a path may be any text, also `__proto__`. */
const filesOf = (text: string): { path: string; text: string }[] =>
  Object.entries(parseJson(text) as Record<string, string>)
    .map(([path, content]) => ({ path, text: content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
