import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { ERROR_KINDS, EvaluationResult } from '#shared/engines/policy-engine.ts';
import { asOf, type EvaluationRecord, type Proof, readResult } from '#shared/evaluations/records/evaluations.ts';
import type { Services } from '#shared/http/services.ts';

/** Digests of what a policy was given, and what evaluated it. */
export const ProofOut = z
  .object({
    policy_sha256: z.string(),
    params_sha256: z.string(),
    input_sha256: z.string(),
    engine: z.string(),
    engine_version: z.string(),
  })
  .meta({ id: 'EvaluationProof' });

export const proofOut = (proof: Proof): z.output<typeof ProofOut> => ({
  policy_sha256: proof.policy,
  params_sha256: proof.params,
  input_sha256: proof.input,
  engine: proof.engine,
  engine_version: proof.version,
});

/** An evaluation: row 1 of the API document. Every key is always there, null until it holds (semantics §8.1). */
export const EvaluationOut = z
  .object({
    id: z.string(),
    status: z.enum(['pending', 'completed', 'failed']),
    requested_at: z.number(),
    recorded_at: z.number().meta({ description: 'The instant that every trail of the context was read at' }),
    result: EvaluationResult.nullable(),
    error: z
      .object({ kind: z.enum(ERROR_KINDS), message: z.string() })
      .nullable()
      .meta({
        description: 'Kinds that begin with `policy_` are the fault of the policy; `internal_error` may be tried again',
      }),
    decision_attestation_id: z.string().nullable(),
    proof: ProofOut.nullable().meta({
      description: 'What was evaluated, and by what: the digests of the texts that a replay is given',
    }),
  })
  .meta({ id: 'Evaluation' });
export type EvaluationOut = z.output<typeof EvaluationOut>;

/** The record as it is at an instant: late ones have failed for every reader. */
export async function evaluationOut(
  { objects }: Pick<Services, 'objects'>,
  org: OrganizationId,
  stored: EvaluationRecord,
  now: Micros,
): Promise<EvaluationOut> {
  const record = asOf(stored, now);
  const { proof } = record;
  return {
    id: record.id,
    status: record.status,
    requested_at: toSeconds(record.requested),
    recorded_at: toSeconds(record.recorded),
    result: await readResult(objects, org, record),
    error: record.error,
    decision_attestation_id: record.decisionId,
    proof: proof && proofOut(proof),
  };
}
