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
  /** The relay's own queue, for visits of organizations. */
  visits: Queue;
}

/** The services of the deployed relay. They are created at the first call and reused. */
export const lambdaRelayServices = (): (() => RelayServices) =>
  once(() => {
    const settings = loadRelayEnvironment();
    const queue = deployedQueues();
    return {
      table: deployedTable(settings.TABLE_NAME),
      objects: deployedObjects(settings.BUCKET_NAME),
      clock: systemClock(),
      deliveries: queue(settings.DELIVERIES_URL),
      expansions: queue(settings.EXPANSIONS_URL),
      evaluations: queue(settings.EVALUATIONS_URL),
      logEntries: queue(settings.LOG_ENTRIES_URL),
      exports: queue(settings.EXPORTS_URL),
      visits: queue(settings.VISITS_URL),
    };
  });
