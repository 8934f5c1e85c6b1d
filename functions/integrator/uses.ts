import type { Uses } from '#shared/table/uses.ts';

/**
 * The integrator writes the logs of organizations, signs their checkpoints, lists organizations for the sweeps, and stores the
 * places of its rounds over all logs, and the line of logs that wait for a signature.
 */
export const INTEGRATOR_USES: Uses = {
  writes: ['LOG', 'LOGGED', '@ACTIVE', '@SWEEPS', '@SIGNATURES'],
  bucket: ['log:read', 'log:write'],
  keys: ['log:sign'],
};
