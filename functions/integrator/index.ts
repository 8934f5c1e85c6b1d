import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { integrateMessages } from './integrate-messages.ts';
import { lambdaIntegratorServices } from './services.ts';
import { sweepAllLogs } from './sweep-logs.ts';

const services = lambdaIntegratorServices();

interface SweepEvent {
  sweep: 'logs';
}

/**
 * Entry of the integrator's function. The queue of log entries invokes it with the messages of two seconds, and a schedule
 * for the rounds over all logs (rules/log.md#rounds).
 */
export async function handler(event: SQSEvent | SweepEvent): Promise<SQSBatchResponse | undefined> {
  if ('Records' in event) return integrateMessages(event, services());
  await sweepAllLogs(services());
  return undefined;
}
