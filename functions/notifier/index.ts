import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { notify } from './notify.ts';
import { lambdaNotifierServices } from './services.ts';

const services = lambdaNotifierServices();

/** Called with messages of the queue of deliveries; it alone sends to the outside (design §6). */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => notify(event, services());
