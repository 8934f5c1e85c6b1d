import type { Micros } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Explanation, PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { type ReadEvaluation, requireEvaluation } from './read-evaluations.ts';
import { type EvaluationRecord, type Proof, readEvaluationBody, readResult } from './records/evaluations.ts';
import { nothingToReplay } from './rules/sentences.ts';
import { readPolicyTexts, runPolicy } from './run-policy.ts';
import type { EvaluatingServices } from './services.ts';

interface Rerun {
  outcome: PolicyOutcome;
  proof: Proof;
  explanation: Explanation | undefined;
  /** Whether the outcome is exactly the stored one. */
  identical: boolean;
}

/**
 * Runs an evaluation again (rules/evaluations.md#replay-of-an-evaluation).
 *
 * @throws ServiceError `not-found` if there is no such evaluation, `invalid` if there is nothing to run again
 */
export async function replayEvaluation(
  services: EvaluatingServices,
  org: Organization,
  id: string,
): Promise<Rerun & { id: string; replayed: Micros }> {
  const record = await requireEvaluation(services, org, id);
  const run = await rerun(services, org, record, { explain: false });
  if (!run) throw nothingToReplay();
  return { ...run, id: record.id, replayed: services.clock.now() };
}

/** An explanation of a stored outcome, and whether the run that was explained had exactly this outcome. */
type StoredExplanation = Explanation & { identical: boolean };

/**
 * Reads an evaluation and explains its outcome by a second run.
 *
 * @returns `explanation` is null if there is no outcome to explain
 * @throws ServiceError `not-found` if there is no such evaluation
 */
export async function explainEvaluation(
  services: EvaluatingServices,
  org: Organization,
  id: string,
): Promise<ReadEvaluation & { explanation: StoredExplanation | null }> {
  const record = await requireEvaluation(services, org, id);
  const [result, run] = await Promise.all([
    readResult(services.objects, org.id, record),
    rerun(services, org, record, { explain: true }),
  ]);
  return { record, result, explanation: run?.explanation ? { ...run.explanation, identical: run.identical } : null };
}

/** @returns null if the policy had no outcome yet, or if a text that the run needs was erased */
async function rerun(
  services: EvaluatingServices,
  { id: org }: Organization,
  record: EvaluationRecord,
  options: { explain: boolean },
): Promise<Rerun | null> {
  const { objects } = services;
  if (!record.input || !record.proof) return null;
  const [texts, input, before] = await Promise.all([
    readPolicyTexts(services, org, record),
    readEvaluationBody(objects, org, record, 'input'),
    readEvaluationBody(objects, org, record, 'result'),
  ]);
  // An erased result, unlike an erased input, would make the outcomes look different.
  if (texts === null || input === null || (record.result && before === null)) return null;
  const run = await runPolicy(services, record, { ...texts, input }, options);
  const { outcome } = run;
  const identical =
    outcome.outcome === 'result'
      ? JSON.stringify(outcome.result) === before
      : record.error?.kind === outcome.kind && record.error?.message === outcome.message;
  return { ...run, identical };
}
