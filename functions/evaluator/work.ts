import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Id, OrganizationId } from '#shared/base/ids.ts';
import { decide } from '#shared/evaluations/decide.ts';
import { evaluate } from '#shared/evaluations/evaluate.ts';
import {
  endEvaluation,
  failOverdue,
  forgetPending,
  noteDecision,
} from '#shared/evaluations/records/evaluation-writes.ts';
import { type EvaluationRecord, isOverdue, readEvaluation } from '#shared/evaluations/records/evaluations.ts';
import { type Log, logToConsole } from '#shared/http/access-log.ts';
import type { Services } from '#shared/http/services.ts';

/** The message that asks for work on an evaluation. */
export const EvaluationMessage = z.object({ org: OrganizationId, id: z.string() });

export interface WorkOptions {
  log?: Log;
  wallClock?: () => number;
}

/** What became of one message. */
export type Worked = 'unknown' | 'over' | 'completed' | 'failed' | 'decided';

/**
 * Works on a batch of messages, one after another: an evaluation has the process for itself. Whatever a policy does is
 * an outcome; only faults of the service make a message come again, alone.
 * @returns the messages that are to come again
 */
export async function evaluateMessages(
  event: SQSEvent,
  services: Services,
  { log = logToConsole, wallClock = Date.now }: WorkOptions = {},
): Promise<SQSBatchResponse> {
  const line = (level: 'INFO' | 'ERROR', message: string, record: SQSRecord, facts: Record<string, unknown>) =>
    log({
      ...{ level, message, timestamp: new Date(wallClock()).toISOString(), service: 'evaluator' },
      ...{ request_id: record.messageId, ...facts },
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

/** Brings an evaluation on by what is left to do for it; doing it again does nothing twice (semantics §8.1). */
export async function workOn(services: Services, org: OrganizationId, id: Id): Promise<Worked> {
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
    await forgetPending(table, org, stored);
    return 'over';
  }
  await noteDecision(table, org, stored, await decide(services, org, stored, decision));
  return 'decided';
}

/** Ends a pending evaluation: by the policy's outcome, or because its time is over. */
async function end(services: Services, org: OrganizationId, stored: EvaluationRecord): Promise<Worked> {
  const { table, clock } = services;
  if (isOverdue(stored, clock.now())) return fail(services, org, stored);
  const ending = await evaluate(services, org, stored);
  await Promise.all(ending.bodies.map((body) => body.upload()));
  const outcome = await endEvaluation(table, org, stored, ending, clock.now());
  if (outcome === 'done') return ending.status === 'completed' ? 'completed' : 'failed';
  // Somebody else was first, or it took too long.
  return isOverdue(stored, clock.now()) ? fail(services, org, stored) : 'over';
}

async function fail({ table, clock }: Services, org: OrganizationId, stored: EvaluationRecord): Promise<Worked> {
  return (await failOverdue(table, org, stored, clock.now())) === 'done' ? 'failed' : 'over';
}
