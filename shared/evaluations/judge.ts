import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { readBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { PolicyOutcome } from '#shared/engines/policy-engine.ts';
import type { Services } from '#shared/http/services.ts';
import type { EvaluationRecord, Proof } from './records/evaluations.ts';

const Files = z.record(z.string(), z.string());

/** What a policy was given, as texts: the same texts give the same outcome. */
export interface Texts {
  policy: string;
  params: string | null;
  input: string;
}

/** Runs the policy on texts: first evaluations and replays alike. */
export async function judge(
  { policies }: Pick<Services, 'policies'>,
  { recorded }: Pick<EvaluationRecord, 'recorded'>,
  { policy, params, input }: Texts,
): Promise<{ outcome: PolicyOutcome; proof: Proof }> {
  const outcome = await policies.evaluate({ files: Files.parse(JSON.parse(policy)), params, input, now: recorded });
  return {
    outcome,
    proof: {
      policy: sha256Hex(policy),
      params: sha256Hex(params ?? ''),
      input: sha256Hex(input),
      engine: policies.name,
      version: policies.version,
    },
  };
}

/** The texts that came with the request. @throws Error where they were erased: nothing can be said without them */
export async function readPolicy(
  { objects }: Pick<Services, 'objects'>,
  org: OrganizationId,
  { policy, params }: EvaluationRecord,
): Promise<Omit<Texts, 'input'>> {
  const [policyText, paramsText] = await Promise.all([
    readBody(objects, org, policy),
    params === null ? null : readBody(objects, org, params),
  ]);
  if (policyText === null || (params !== null && paramsText === null)) {
    throw new Error('What this evaluation was given was erased');
  }
  return { policy: policyText, params: paramsText };
}
