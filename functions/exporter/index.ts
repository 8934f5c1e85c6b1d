import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { lambdaExporterServices } from './services.ts';
import { exportMessages } from './work.ts';

const services = lambdaExporterServices();
const isClosed = tableIsClosed(services);

/** Entry of the exporter's function. The queue of exports invokes it with one message at a time. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  await isClosed();
  return exportMessages(event, services());
}
