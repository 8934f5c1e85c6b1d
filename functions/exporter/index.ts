import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lambdaExporterServices } from './services.ts';
import { exportMessages } from './work.ts';

const services = lambdaExporterServices();

/** Entry of the exporter's function. The queue of exports invokes it with one message at a time. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => exportMessages(event, services());
