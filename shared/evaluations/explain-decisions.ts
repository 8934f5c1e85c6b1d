import { isId, type OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { countedTrail } from '#shared/evidence/counted-trails.ts';
import { asOfMoment, readTrailOfFlow } from '#shared/evidence/records/trail-records.ts';
import { recalledSlots } from '#shared/evidence/rules/recalled.ts';
import { linksOf, type ReasonPlace } from '#shared/reasons/links.ts';
import { type ReadEvaluationsOf, type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { attestationSteps, evaluationStep } from '#shared/reasons/rules/attestation-steps.ts';
import { type BoundedChain, bounded } from '#shared/reasons/rules/bounded-chain.ts';
import { namedRecalls } from '#shared/reasons/rules/trail-steps.ts';
import { readRecallsSince } from '#shared/signers/read-recalls-at.ts';
import { DecidingLine } from './deciding-line.ts';
import type { ReadEvaluation } from './read-evaluations.ts';
import { decisionIdOf, type EvaluationRecord, readEvaluations, readPins, readResult } from './records/evaluations.ts';

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

const TRAILS_AT_ONCE = 8;
/** A sentence names so many of the attestations that were recalled since. */
const MOST_NAMED = 3;

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
  const id = decisionIdOf(record);
  const [seen, since] = await Promise.all([
    decisionId === null ? undefined : readSeen(reading, place.org.id, [], [id]),
    recalledSince(reading, place.org.id, record),
  ]);
  const decided = seen?.get(id);
  const evaluation = { id: evaluationId, allow, violations: result?.violations ?? [], decided: null };
  const steps = decided
    ? attestationSteps({ ...decided, type: 'decision', id }, decided, links)
    : [evaluationStep(decision?.control ?? PROGRAM, evaluation, links)];
  return steps.map((step) => (step.step === 'evaluation' ? { ...step, says: `${step.says}${since}` } : step));
}

/**
 * Says what of the input was recalled since: the verdict stays (rules/verified-evidence.md#effect-of-recalls). Trails are read only if
 * there are recalls that the evaluation did not know.
 *
 * @returns the end of a sentence; empty if nothing was recalled
 */
async function recalledSince(
  { table, objects }: Reading,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<string> {
  if (record.erased) return '';
  const { past, now } = await readRecallsSince(table, org, record.recorded);
  const known = new Set(past.map(({ name, version }) => `${name} ${version}`));
  const since = now.filter(({ name, version }) => !known.has(`${name} ${version}`));
  if (since.length === 0) return '';
  const pins = (await readPins(objects, org, record)).filter(({ number }) => number > 0).slice(0, MOST);
  const read = await inParallel(pins, TRAILS_AT_ONCE, async (pin) => {
    const trail = await readTrailOfFlow(table, objects, org, pin);
    if (!trail) return [];
    const { state } = countedTrail(asOfMoment(trail, pin.number), past);
    return recalledSlots(state, since).map(
      ({ name, recalls }) => `\`${name}\` of ${pin.trail} by ${namedRecalls(recalls.map((one) => one.name))}`,
    );
  });
  const all = [...new Set(read.flat())];
  if (all.length === 0) return '';
  const more = all.length > MOST_NAMED ? `, and ${all.length - MOST_NAMED} more` : '';
  return `; recalled since: ${all.slice(0, MOST_NAMED).join(', ')}${more}`;
}
