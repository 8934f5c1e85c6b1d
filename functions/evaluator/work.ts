import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Id, OrganizationId } from '#shared/base/ids.ts';
import { evaluate } from '#shared/evaluations/evaluate.ts';
import { recordDecision } from '#shared/evaluations/record-decision.ts';
import {
  endEvaluation,
  failOverdue,
  removePending,
  storeDecisionId,
} from '#shared/evaluations/records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { type Log, logToConsole } from '#shared/http/access-log.ts';
import type { Services } from '#shared/http/services.ts';

/** A message of the queue: an evaluation with work left (rules/evaluations.md#messages). */
export const EvaluationMessage = z.object({ org: OrganizationId, id: z.string() });

export interface WorkOptions {
  log?: Log;
  wallClock?: () => number;
}

/** The outcome of one message. */
export type WorkOutcome = 'unknown' | 'over' | 'completed' | 'failed' | 'decided';

/**
 * Processes a batch of messages, one after another, so that each evaluation has the whole process. Everything that a policy
 * does is an outcome. Only a fault of the service makes a message come again (rules/evaluations.md#messages).
 *
 * @returns the messages that failed and that the queue delivers again
 */
export async function evaluateMessages(
  event: SQSEvent,
  services: Services,
  { log = logToConsole, wallClock = Date.now }: WorkOptions = {},
): Promise<SQSBatchResponse> {
  const line = (level: 'INFO' | 'ERROR', message: string, record: SQSRecord, facts: Record<string, unknown>) =>
    log({
      level,
      message,
      timestamp: new Date(wallClock()).toISOString(),
      service: 'evaluator',
      request_id: record.messageId,
      ...facts,
    });
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const record of event.Records) {
    try {
      const { org, id } = EvaluationMessage.parse(JSON.parse(record.body));
      const outcome = await workOn(services, org, id);
      const level = outcome === 'unknown' ? 'ERROR' : 'INFO';
      line(level, 'Worked on an evaluation', record, { organization: org, evaluation: id, outcome });
    } catch (error) {
      line('ERROR', 'Working on an evaluation failed; its message comes again', record, errorFacts(error));
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}

/**
 * Does the work that an evaluation has left: ends the evaluation, then records its decision. A repeated call changes nothing
 * twice (rules/evaluations.md#once).
 *
 * @throws Error for a fault of the service; the caller may retry
 */
export async function workOn(services: Services, org: OrganizationId, id: Id): Promise<WorkOutcome> {
  const { table } = services;
  const stored = await readEvaluation(table, org, id);
  if (!stored) return 'unknown';
  if (stored.status === 'pending') {
    const outcome = await end(services, org, stored);
    if (outcome !== 'completed' || stored.decision === null) return outcome;
    return workOn(services, org, id);
  }
  const { decision } = stored;
  if (stored.status === 'failed' || decision === null || stored.decisionId !== null) {
    await removePending(table, org, stored);
    return 'over';
  }
  await storeDecisionId(table, org, stored, await recordDecision(services, org, stored, decision));
  return 'decided';
}

/** Ends a pending evaluation with the outcome of its policy, or as failed if its deadline is over. */
async function end(services: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const ending = await evaluate(services, org, stored);
  await Promise.all(ending.bodies.map((body) => body.upload()));
  const outcome = await endEvaluation(table, org, stored, ending, clock.now());
  if (outcome === 'done') return ending.status === 'completed' ? 'completed' : 'failed';
  // Another worker was first, or the policy finished after the deadline.
  return isOverdue(stored, clock.now()) ? fail(services, org, stored) : 'over';
}

async function fail({ table, clock }: Services, org: OrganizationId, stored: EvaluationRecord): Promise<WorkOutcome> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}
