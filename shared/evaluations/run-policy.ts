import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Explanation, PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { type EvaluationRecord, type Proof, readEvaluationBody } from './records/evaluations.ts';
import type { EvaluatingServices } from './services.ts';

const Files = z.record(z.string(), z.string());

interface PolicyTexts {
  /** JSON text: path → text of the policy files. */
  policy: string;
  /** JSON text of `data.params`; null = no parameters. */
  params: string | null;
  input: string;
}

/**
 * Runs a policy and computes the proof of the run. First evaluations and replays both use it
 * (rules/evaluations.md#proof).
 *
 * @param record its `recorded_at` is the time that the policy sees
 */
export async function runPolicy(
  { policies }: Pick<EvaluatingServices, 'policies'>,
  { recorded }: Pick<EvaluationRecord, 'recorded'>,
  { policy, params, input }: PolicyTexts,
  { explain = false }: { explain?: boolean } = {},
): Promise<{ outcome: PolicyOutcome; explanation: Explanation | undefined; proof: Proof }> {
  const files = Files.parse(JSON.parse(policy));
  const { explanation, ...outcome } = await policies.evaluate({ files, params, input, now: recorded, explain });
  return {
    outcome,
    explanation,
    proof: {
      policy: sha256Hex(policy),
      params: sha256Hex(params ?? ''),
      input: sha256Hex(input),
      engine: policies.name,
      version: policies.version,
      language: policies.language,
    },
  };
}

/** Reads policy and parameters of an evaluation. Returns null if the parameters were erased. */
export async function readPolicyTexts(
  { objects }: Pick<Stores, 'objects'>,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<Omit<PolicyTexts, 'input'> | null> {
  const [policy, params] = await Promise.all([
    readEvaluationBody(objects, org, record, 'policy'),
    readEvaluationBody(objects, org, record, 'params'),
  ]);
  const isErased = policy === null || (record.params !== null && params === null);
  return isErased ? null : { policy, params };
}

/**
 * Reads policy and parameters of an evaluation that is still to be evaluated.
 *
 * @throws Error if one of them was erased
 */
export async function readPolicy(
  services: Pick<Stores, 'objects'>,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<Omit<PolicyTexts, 'input'>> {
  const texts = await readPolicyTexts(services, org, record);
  if (!texts) throw new Error('The policy or the parameters of this evaluation were erased');
  return texts;
}
