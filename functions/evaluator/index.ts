import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lambdaServices } from '#functions/services.ts';
import { evaluateMessages } from './work.ts';

const services = lambdaServices();

/** Called with messages of the queue of evaluations, one at a time. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => evaluateMessages(event, services());
