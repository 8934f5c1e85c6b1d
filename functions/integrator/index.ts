import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { integrateMessages } from './integrate-messages.ts';
import { lambdaIntegratorServices } from './services.ts';

const services = lambdaIntegratorServices();

/** Entry of the integrator's function. The queue of log entries invokes it with the messages of two seconds. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => integrateMessages(event, services());
