import type { OrganizationId } from '#shared/base/ids.ts';
import { type EvaluationRecord, readEvaluationBody } from '#shared/evaluations/records/evaluations.ts';
import { readPolicyTexts, runPolicy } from '#shared/evaluations/run-policy.ts';
import type { Services } from '#shared/http/services.ts';
import { outcomeOut } from './evaluation-output.ts';

/**
 * Runs the stored policy of an evaluation on its stored input again (rules/evaluations.md#replay-of-an-evaluation).
 *
 * @param options `explain`: whether to return an explanation of the outcome
 * @returns the outcome, its proof, and whether it is exactly the stored one; null if the policy had no outcome yet, or if a
 *   text that the run needs was erased
 */
export async function rerun(
  services: Services,
  org: OrganizationId,
  record: EvaluationRecord,
  options: { explain?: boolean } = {},
) {
  const { objects } = services;
  if (!record.input || !record.proof) return null;
  const [texts, input, before] = await Promise.all([
    readPolicyTexts(services, org, record),
    readEvaluationBody(objects, org, record, 'input'),
    readEvaluationBody(objects, org, record, 'result'),
  ]);
  // An erased result, unlike an erased input, would make the outcomes look different.
  if (texts === null || input === null || (record.result && before === null)) return null;
  const { outcome, explanation, proof } = await runPolicy(services, record, { ...texts, input }, options);
  const { result, error } = outcomeOut(outcome);
  const identical = result
    ? JSON.stringify(result) === before
    : record.error?.kind === error?.kind && record.error?.message === error?.message;
  return { result, error, explanation, proof, identical };
}
