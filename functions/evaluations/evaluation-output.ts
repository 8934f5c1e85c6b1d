import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { ERROR_KINDS, EvaluationResult, type PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { ENGINE_LANGUAGE } from '#shared/evaluations/engine-version.ts';
import type { Proof, ReadEvaluation } from '#shared/evaluations/read-evaluations.ts';
import type { Request } from '#shared/http/request.ts';

/** The proof of an evaluation in answers (rules/evaluations.md#proof). */
export const ProofOut = z
  .object({
    policy_sha256: z.string().describe('SHA-256 of the policy files'),
    params_sha256: z.string().nullable().meta({ description: 'Null once the parameters were erased' }),
    input_sha256: z.string().nullable().meta({ description: 'Null once the input was erased' }),
    engine: z.string().describe('The engine that ran the policy'),
    engine_version: z.string().describe('Version of the engine'),
    language: z
      .string()
      .nullable()
      .meta({
        description: `The language of the policy, now «${ENGINE_LANGUAGE}»; null in evaluations of earlier releases`,
      }),
  })
  .meta({ id: 'EvaluationProof' });

export const proofOut = (proof: Proof): z.output<typeof ProofOut> => ({
  policy_sha256: proof.policy,
  params_sha256: proof.params,
  input_sha256: proof.input,
  engine: proof.engine,
  engine_version: proof.version,
  language: proof.language,
});

export const ErrorOut = z
  .object({ kind: z.enum(ERROR_KINDS).describe('Kind of the failure'), message: z.string().describe('What failed') })
  .meta({
    description:
      'Kinds that begin with `policy_` are faults of the policy. After an `internal_error` a new request may succeed',
  });

/** Returns the outcome of a policy as `result` and `error`, one of which is null. */
export const outcomeOut = (outcome: PolicyOutcome) =>
  outcome.outcome === 'result'
    ? { result: outcome.result, error: null }
    : { result: null, error: { kind: outcome.kind, message: outcome.message } };

/** An evaluation in answers. All keys are always present (rules/evaluations.md#evaluation-record). */
export const EvaluationOut = z
  .object({
    id: z.string().describe('Id of the evaluation'),
    status: z
      .enum(['pending', 'completed', 'failed'])
      .describe('Whether the evaluation waits, has a result, or failed'),
    requested_at: z.number().describe('When the evaluation was asked for, in seconds since the epoch'),
    requested_by: z.string().meta({ description: 'Name of the user or service account that asked for the evaluation' }),
    // Absent in answers that were stored under an Idempotency-Key before the field existed.
    identity: CallerIdentity.optional(),
    recorded_at: z.number().meta({ description: 'The instant as of which every trail of the context is read' }),
    result: EvaluationResult.nullable().describe('Output of the policy; null unless the evaluation is completed'),
    error: ErrorOut.nullable().describe('Why the evaluation failed; null unless it failed'),
    decision_attestation_id: z
      .string()
      .nullable()
      .describe('Id of the attestation that holds the decision; null if none was asked for or written'),
    proof: ProofOut.nullable().meta({
      description: 'Digests of the texts that were evaluated and that a replay uses, and the engine',
    }),
    // Absent in answers that were stored under an Idempotency-Key before the field existed.
    html_url: z.string().optional().describe('Address of a page for people'),
    erased: ErasureOut,
  })
  .meta({ id: 'Evaluation' });
export type EvaluationOut = z.output<typeof EvaluationOut>;

export function evaluationOut({ record, result }: ReadEvaluation, at: Pick<Request, 'host' | 'org'>): EvaluationOut {
  const { proof } = record;
  return {
    id: record.id,
    status: record.status,
    requested_at: toSeconds(record.requested),
    requested_by: record.by.name,
    identity: record.by.identity ?? null,
    recorded_at: toSeconds(record.recorded),
    result,
    error: record.error,
    decision_attestation_id: record.decisionId,
    proof: proof && proofOut(proof),
    html_url: pageUrl(at, '/{org}/evaluations/{evaluation}', { evaluation: record.id }),
    ...erasedOut(record.erased),
  };
}
