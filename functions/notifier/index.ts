import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { notify } from './notify.ts';
import { lambdaNotifierServices } from './services.ts';

const services = lambdaNotifierServices();

/** Handles messages of the queue of deliveries (`rules/notifications.md#attempts`). */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => notify(event, services());
