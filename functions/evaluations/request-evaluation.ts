import type { Stores } from '#shared/bodies/stores.ts';
import type { EvaluationRecord } from '#shared/evaluations/read-evaluations.ts';
import {
  REQUEST_EVALUATION,
  requestEvaluation as store,
  type WantedDecision,
} from '#shared/evaluations/request-evaluation.ts';
import { artifactNotInOrg, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { featureOff } from '#shared/http/sentences.ts';
import { answerWrite } from '#shared/http/written.ts';
import { EvaluationOut, evaluationOut } from './evaluation-output.ts';
import { EvaluationRequest, policyToRun, refuseFuture } from './request-fields.ts';

/** POST /evaluations/{org}: stores a pending evaluation; the evaluator runs it later (rules/evaluations.md#request). */
export const requestEvaluation = endpoint({
  operation: 'requestEvaluation',
  method: 'POST',
  path: '/evaluations/{org}',
  summary: 'Evaluate a policy on trails, as of now or of an earlier instant',
  description:
    'The answer is a pending evaluation. Get it by its id until `status` is no longer `pending`. The policy is Rego v1 with a boolean `allow` and optional `violations` in the package `policy`.',
  access: 'member',
  feature: 'evaluations',
  body: { kind: 'json', schema: EvaluationRequest },
  success: { 201: EvaluationOut },
  makes: { at: '/evaluations/{org}/{evaluation_id}', id: 'evaluation_id' },
  errors: [unknownTrail, artifactNotInOrg, featureOff],
  checks: [({ sent }, { clock }) => refuseFuture(sent, clock.now())],
  uses: REQUEST_EVALUATION,
  handler: async (request, stores: Stores) => {
    const { body, bodyText, org, host } = request;
    if (body.decision != null && !org.features.includes('controls')) throw featureOff();
    return answerWrite(
      request,
      (by) => store(stores, by, host, policyToRun(body, bodyText), decisionOf(body)),
      (record: EvaluationRecord) => ({
        status: 201,
        body: evaluationOut({ record, result: null }, request),
        made: { evaluation_id: record.id },
      }),
    );
  },
});

function decisionOf({ decision }: EvaluationRequest): WantedDecision | null {
  if (decision == null) return null;
  const { control, name = null, flow, trail, fingerprint = null } = decision;
  return { control, name, flow, trail, fingerprint };
}
