import { deployedQueues } from '#functions/deployed-queues.ts';
import { deployedObjects, deployedTable, once } from '#functions/services.ts';
import { loadRelayEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import type { ExpanderServices } from '#shared/environments/effects-context.ts';
import type { Queue } from '#shared/queues/queue.ts';

export interface RelayServices extends ExpanderServices {
  evaluations: Queue;
  /** The queue of entries for the logs of organizations. */
  logEntries: Queue;
  exports: Queue;
}

/** The services of the deployed relay. They are created at the first call and reused. */
export const lambdaRelayServices = (): (() => RelayServices) =>
  once(() => {
    const { TABLE_NAME, BUCKET_NAME, DELIVERIES_URL, EXPANSIONS_URL, EVALUATIONS_URL, LOG_ENTRIES_URL, EXPORTS_URL } =
      loadRelayEnvironment();
    const queue = deployedQueues();
    return {
      table: deployedTable(TABLE_NAME),
      objects: deployedObjects(BUCKET_NAME),
      clock: systemClock(),
      deliveries: queue(DELIVERIES_URL),
      expansions: queue(EXPANSIONS_URL),
      evaluations: queue(EVALUATIONS_URL),
      logEntries: queue(LOG_ENTRIES_URL),
      exports: queue(EXPORTS_URL),
    };
  });
