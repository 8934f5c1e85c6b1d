import { deployedQueues } from '#functions/deployed-queues.ts';
import { deployedObjects, deployedTable, once } from '#functions/services.ts';
import { loadExpanderEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import type { ExpanderServices } from '#shared/environments/effects-context.ts';

/** The services of the deployed expander. They are created at the first call and reused. */
export const lambdaExpanderServices = (): (() => ExpanderServices) =>
  once(() => {
    const { TABLE_NAME, BUCKET_NAME, DELIVERIES_URL, EXPANSIONS_URL } = loadExpanderEnvironment();
    const queue = deployedQueues();
    return {
      table: deployedTable(TABLE_NAME),
      objects: deployedObjects(BUCKET_NAME),
      clock: systemClock(),
      deliveries: queue(DELIVERIES_URL),
      expansions: queue(EXPANSIONS_URL),
    };
  });
