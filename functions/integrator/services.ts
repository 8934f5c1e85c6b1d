import { deployedKeys } from '#functions/deployed-keys.ts';
import { deployedQueues } from '#functions/deployed-queues.ts';
import { deployedObjects, deployedTable, once } from '#functions/services.ts';
import { loadIntegratorEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import type { IntegratorServices } from './integrate-messages.ts';

/** The services of the deployed integrator. They are created at the first call and reused. */
export function lambdaIntegratorServices(): () => Promise<IntegratorServices> {
  const made = once(() => {
    const settings = loadIntegratorEnvironment();
    return {
      keys: deployedKeys(settings),
      services: {
        table: deployedTable(settings.TABLE_NAME),
        objects: deployedObjects(settings.BUCKET_NAME),
        clock: systemClock(),
        origin: (org: string) => `${org}.${settings.LOG_DOMAIN}`,
        logEntries: deployedQueues()(settings.LOG_ENTRIES_URL),
      },
    };
  });
  return async () => ({ ...made().services, logSigner: await made().keys.log() });
}
