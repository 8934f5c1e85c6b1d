import { systemClock } from '#shared/base/time.ts';
import type { Services } from '#shared/http/services.ts';

/**
 * Returns the services of a function whose endpoints are all public and use only the clock. Such a function has no SDK in
 * its archive, no settings and no rights.
 */
export function publicServices(): Services {
  const services = { clock: systemClock(), principals: () => undefined };
  // Public endpoints authenticate nobody, so the directory is never asked. The other services are absent, as they would
  // bring the SDK.
  return services as unknown as Services;
}
