import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { notify } from './notify.ts';
import { lambdaNotifierServices } from './services.ts';

const services = lambdaNotifierServices();
const isClosed = tableIsClosed(services);

/** Handles messages of the queue of deliveries (`rules/notifications.md#attempts`). */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  await isClosed();
  return notify(event, services());
}
