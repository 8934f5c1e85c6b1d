import { type Clock, systemClock } from '#shared/base/time.ts';

/**
 * Returns the services of a function whose endpoints are all public and use only the clock. Such a function has no SDK in
 * its archive, no settings and no rights.
 */
export const publicServices = (): { clock: Clock } => ({ clock: systemClock() });
