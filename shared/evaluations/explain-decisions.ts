import { isId } from '#shared/base/ids.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { linksOf, type ReasonPlace } from '#shared/reasons/links.ts';
import { type ReadEvaluationsOf, type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { attestationSteps, evaluationStep } from '#shared/reasons/rules/attestation-steps.ts';
import { type BoundedChain, bounded } from '#shared/reasons/rules/bounded-chain.ts';
import { DecidingLine } from './deciding-line.ts';
import type { ReadEvaluation } from './read-evaluations.ts';
import { decisionIdOf, readEvaluations, readResult } from './records/evaluations.ts';

/** Most evaluations that are read for one answer. */
const MOST = 50;

/**
 * Reads what evaluations denied or allowed, for chains of reasons (rules/reasons.md#evaluations). The engine does not run: the answer
 * is what the evaluation stored.
 */
export const evaluationsOf: ReadEvaluationsOf = async ({ table, objects }, org, named) => {
  if (named.length === 0) return new Map();
  const ids = [...new Set(named.map(({ evaluation }) => evaluation))].filter(isId).slice(0, MOST);
  const records = new Map((await readEvaluations(table, org, ids)).map((record) => [record.id, record]));
  const read = await Promise.all(
    named.map(async ({ evaluation, decision, deniedAt }) => {
      const record = records.get(evaluation);
      // Anybody may report a decision that names an evaluation. Only the evaluation itself knows the id of its decision.
      if (!record || record.allow === null || decisionIdOf(record) !== decision) return [];
      const result = await readResult(objects, org, record);
      const { id, allow } = record;
      // Decisions of earlier releases have no line.
      const line = DecidingLine.safeParse(deniedAt);
      return [[decision, { id, allow, violations: result?.violations ?? [], decided: line.data ?? null }] as const];
    }),
  );
  return new Map(read.flat());
};

/** What a step calls an evaluation that was not asked about a control. */
const PROGRAM = 'The policy program';

/** What a use case that resolves reasons reads with. */
export const reasonReading = (reading: Reading): ReasonReading => ({ ...reading, evaluationsOf });

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
