import type { Services } from '#shared/http/services.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import type { RelayLog } from './log.ts';
import type { RelayMemory } from './memory.ts';

/** What effects of environments work with: snapshots have contents in the bucket, and are told of. */
export interface EnvironmentRelay {
  services: DeliveryServices & Pick<Services, 'objects'>;
  memory: RelayMemory;
  log: RelayLog;
}
