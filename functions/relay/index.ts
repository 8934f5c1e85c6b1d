import type { DynamoDBBatchResponse, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';
import { lambdaServices } from '#functions/services.ts';
import { relay } from './relay.ts';
import { sweep } from './sweep.ts';

const services = lambdaServices();

/** Called with batches of the table's stream, and by a schedule every five minutes (design §2.7). */
export async function handler(event: DynamoDBStreamEvent | ScheduledEvent): Promise<DynamoDBBatchResponse | undefined> {
  if ('Records' in event) return relay(event, services());
  await sweep(services());
  return undefined;
}
