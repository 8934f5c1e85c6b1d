import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expandMessages } from './expand-messages.ts';
import { lambdaExpanderServices } from './services.ts';

const services = lambdaExpanderServices();

/** Entry of the expander's function. The queue of expansions invokes it with one message at a time. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => expandMessages(event, services());
