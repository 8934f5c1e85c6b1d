import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';
import { relayLog } from '#shared/http/relay-log.ts';
import { relay } from './relay.ts';
import { lambdaRelayServices } from './services.ts';
import { sweep } from './sweep.ts';
import { sweepDue } from './sweep-due.ts';
import { sweepEvaluations } from './sweep-evaluations.ts';
import { sweepEvents } from './sweep-events.ts';
import { sweepSnapshots } from './sweep-snapshots.ts';

const services = lambdaRelayServices();

/** What the schedule says that runs every minute: whatever waits for its time is looked for. */
interface DueEvent {
  sweep: 'due';
}

/**
 * Called with batches of the table's stream, and by two schedules: every minute for deliveries that are due and for
 * evaluations that still wait, every five minutes for what the stream did not bring (design §2.7, §6).
 */
export async function handler(
  event: DynamoDBStreamEvent | DueEvent | ScheduledEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<DynamoDBBatchResponse | undefined> {
  if ('Records' in event) return relay(event, services());
  const remainingMillis = () => context.getRemainingTimeInMillis();
  if ('sweep' in event) {
    await all([sweepDue(services(), { remainingMillis }), sweepEvaluations(services())]);
    return undefined;
  }
  await all([
    sweepEvents(services(), { log: relayLog('sweep'), remainingMillis }),
    sweepSnapshots(services(), { remainingMillis }),
    sweep(services()),
  ]);
  return undefined;
}

/** Waits for every sweep: the trouble of one ends no other. @throws AggregateError what they threw */
async function all(sweeps: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(sweeps);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, 'A sweep failed in part');
}
