import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { integrateMessages } from './integrate-messages.ts';
import { lambdaIntegratorServices } from './services.ts';
import { sweepAllLogs } from './sweep-logs.ts';

const services = lambdaIntegratorServices();
const isClosed = tableIsClosed(services);

interface SweepEvent {
  sweep: 'logs';
}

/**
 * Entry of the integrator's function. The queue of log entries invokes it with the messages of two seconds, and a schedule
 * for the rounds over all logs (rules/log.md#rounds).
 */
export async function handler(event: SQSEvent | SweepEvent): Promise<SQSBatchResponse | undefined> {
  const rests = await isClosed();
  if ('Records' in event) return integrateMessages(event, services());
  if (!rests) await sweepAllLogs(services());
  return undefined;
}
