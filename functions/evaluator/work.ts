import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Services } from '#functions/services.ts';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { EvaluationMessage } from '#shared/evaluations/evaluation-message.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';

interface WorkOptions {
  log?: Log;
  wallClock?: () => number;
}

/**
 * Processes a batch of messages, one after another, so that each evaluation has the whole process. Everything that a policy
 * does is an outcome. Only a fault of the service makes a message come again (rules/evaluations.md#messages).
 */
export async function evaluateMessages(
  event: SQSEvent,
  services: Services,
  { log, wallClock }: WorkOptions = {},
): Promise<SQSBatchResponse> {
  const line = messageLog('evaluator', log, wallClock);
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const record of event.Records) {
    try {
      const { org, id, requests } = EvaluationMessage.parse(JSON.parse(record.body));
      const outcome = await processEvaluation(services, org, id, requests[0]);
      const level = outcome === 'unknown' ? 'ERROR' : 'INFO';
      line(level, 'Worked on an evaluation', record, { organization: org, evaluation: id, outcome, requests });
    } catch (error) {
      line('ERROR', 'Working on an evaluation failed; its message comes again', record, errorFacts(error));
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
