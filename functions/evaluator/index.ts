import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lambdaServices } from '#functions/services.ts';
import { tableIsClosed } from '#functions/table-state.ts';
import { evaluateMessages } from './work.ts';

const services = lambdaServices();
const isClosed = tableIsClosed(services);

/** Entry of the evaluator's function. The queue of evaluations invokes it with one message at a time. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  await isClosed();
  return evaluateMessages(event, services());
}
