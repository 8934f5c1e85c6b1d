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
import { sweepEvaluations } from '#shared/evaluations/sweep-evaluations.ts';
import { sweepExports } from '#shared/exports/sweep-exports.ts';
import { sweepLogs } from '#shared/log/sweeps/sweep-logs.ts';
import { sweepDue } from '#shared/notifications/sweep-due.ts';
import { relay } from './relay.ts';
import { lambdaRelayServices } from './services.ts';
import { sweepSetAside } from './sweeps/sweep-set-aside.ts';
import { askForVisits, visitOrganizations } from './sweeps/visit-organizations.ts';

const services = lambdaRelayServices();
const isClosed = tableIsClosed(services);

/** The event of the schedule that runs every minute. */
interface DueEvent {
  sweep: 'due';
}

/**
 * Handles batches of the table's stream, messages of the queue of visits and the events of two schedules. Every minute it looks for
 * due deliveries (`rules/notifications.md#lost-messages`), pending evaluations, running exports, logs without a checkpoint and records that
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
    await all([
      sweepDue(services(), { remainingMillis }),
      sweepEvaluations(services()),
      sweepExports(services()),
      sweepLogs(services()),
      sweepSetAside(services(), { remainingMillis }),
    ]);
    return undefined;
  }
  await askForVisits(services(), { remainingMillis });
  return undefined;
}

const isOfStream = (event: object): event is DynamoDBStreamEvent =>
  'Records' in event && Array.isArray(event.Records) && event.Records.some((record) => 'dynamodb' in record);

/** Waits for all sweeps, so that a failed one does not end the others. @throws AggregateError with their errors */
async function all(sweeps: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(sweeps);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, 'A sweep failed in part');
}
