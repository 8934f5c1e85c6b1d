import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';
import { relayLog } from './log.ts';
import { relay } from './relay.ts';
import { lambdaRelayServices } from './services.ts';
import { sweep } from './sweep.ts';
import { sweepDue } from './sweep-due.ts';
import { sweepEvents } from './sweep-events.ts';

const services = lambdaRelayServices();

/** What the schedule says that runs every minute. */
interface DueEvent {
  sweep: 'due';
}

/**
 * Called with batches of the table's stream, and by two schedules: every minute for deliveries that are due, every five
 * minutes for what the stream did not bring (design §2.7, §6).
 */
export async function handler(
  event: DynamoDBStreamEvent | DueEvent | ScheduledEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<DynamoDBBatchResponse | undefined> {
  if ('Records' in event) return relay(event, services());
  const remainingMillis = () => context.getRemainingTimeInMillis();
  if ('sweep' in event) {
    await sweepDue(services(), { remainingMillis });
    return undefined;
  }
  const sweeps = [sweepEvents(services(), { log: relayLog('sweep'), remainingMillis }), sweep(services())];
  const outcomes = await Promise.allSettled(sweeps);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, 'A sweep failed in part');
  return undefined;
}
