import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  ScheduledEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import { tableIsClosed } from '#functions/table-state.ts';
import { workerLog } from '#shared/base/log-lines.ts';
import { relay } from './relay.ts';
import { lambdaRelayServices } from './services.ts';
import { sweepDueWork } from './sweeps/sweep-due-work.ts';
import { askForVisits, visitOrganizations } from './sweeps/visit-organizations.ts';

const services = lambdaRelayServices();
const isClosed = tableIsClosed(services);

/** The event of the schedule that runs every minute. */
interface DueEvent {
  sweep: 'due';
}

/**
 * Handles batches of the table's stream, messages of the queue of visits and the events of two schedules. Every minute it looks for
 * due deliveries (`rules/notifications.md#lost-messages`), pending evaluations, running exports, logs without a checkpoint, gaps and records that
 * were set aside. Every five minutes it asks for visits of organizations, which look for effects that are missing because the stream did
 * not bring their records (`rules/storage.md#lost-effects`).
 */
export async function handler(
  event: DynamoDBStreamEvent | SQSEvent | DueEvent | ScheduledEvent,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
): Promise<DynamoDBBatchResponse | SQSBatchResponse | undefined> {
  const remainingMillis = () => context.getRemainingTimeInMillis();
  const rests = await isClosed();
  if (isOfStream(event)) return relay(event, services(), { remainingMillis });
  if (rests) {
    workerLog(context.awsRequestId)('Sweeps rest: the table takes no changes', {});
    return undefined;
  }
  if ('Records' in event) return visitOrganizations(event, services(), { remainingMillis });
  if ('sweep' in event) {
    await sweepDueWork(services(), { remainingMillis });
    return undefined;
  }
  await askForVisits(services(), { remainingMillis });
  return undefined;
}

const isOfStream = (event: object): event is DynamoDBStreamEvent =>
  'Records' in event && Array.isArray(event.Records) && event.Records.some((record) => 'dynamodb' in record);
