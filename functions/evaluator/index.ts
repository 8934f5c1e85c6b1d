import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lambdaServices } from '#functions/services.ts';
import { evaluateMessages } from './work.ts';

const services = lambdaServices();

/** Entry of the evaluator's function. The queue of evaluations invokes it with one message at a time. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => evaluateMessages(event, services());
