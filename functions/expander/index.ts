import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { expandMessages } from './expand-messages.ts';
import { lambdaExpanderServices } from './services.ts';

const services = lambdaExpanderServices();
const isClosed = tableIsClosed(services);

/** Entry of the expander's function. The queue of expansions invokes it with one message at a time. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  await isClosed();
  return expandMessages(event, services());
}
