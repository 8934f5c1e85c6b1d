import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { linksOf, type ReasonPlace } from '#shared/reasons/links.ts';
import { type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { attestationSteps, evaluationStep } from '#shared/reasons/rules/attestation-steps.ts';
import { type BoundedChain, bounded } from '#shared/reasons/rules/bounded-chain.ts';
import type { ReadEvaluation } from './read-evaluations.ts';
import { decisionIdOf } from './records/evaluations.ts';

/** What a step calls an evaluation that was not asked about a control. */
const PROGRAM = 'The policy program';

/**
 * Resolves why an evaluation allowed or denied: the decision that it recorded, and the line of the program
 * (rules/reasons.md#evaluations). An evaluation without a verdict has no steps.
 */
export async function explainVerdict(
  reading: ReasonReading,
  place: ReasonPlace & { org: Organization },
  read: ReadEvaluation,
): Promise<BoundedChain> {
  return bounded(await stepsOf(reading, place, read));
}

async function stepsOf(
  reading: ReasonReading,
  place: ReasonPlace & { org: Organization },
  { record, result }: ReadEvaluation,
): Promise<ReasonStep[]> {
  const { id: evaluationId, allow, decisionId, decision } = record;
  if (allow === null) return [];
  const links = linksOf(place);
  if (decisionId !== null) {
    const id = decisionIdOf(record);
    const seen = (await readSeen(reading, place.org.id, [], [id])).get(id);
    if (seen) return attestationSteps({ ...seen, type: 'decision', id }, seen, links);
  }
  const evaluation = { id: evaluationId, allow, violations: result?.violations ?? [], decided: null };
  return [evaluationStep(decision?.control ?? PROGRAM, evaluation, links)];
}
