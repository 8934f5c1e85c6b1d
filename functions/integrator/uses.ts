import type { Uses } from '#shared/table/uses.ts';

/**
 * The integrator writes the logs of organizations, signs their checkpoints, lists organizations for the sweeps, and stores the
 * places of its rounds over all logs.
 */
export const INTEGRATOR_USES: Uses = {
  writes: ['LOG', 'LOGGED', '@ACTIVE', '@SWEEPS'],
  bucket: ['log:read', 'log:write'],
  keys: ['log:sign'],
};
