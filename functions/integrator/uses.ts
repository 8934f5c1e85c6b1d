import type { Uses } from '#shared/table/uses.ts';

/** The integrator writes the logs of organizations, signs their checkpoints, and lists organizations for the sweeps. */
export const INTEGRATOR_USES: Uses = {
  writes: ['LOG', 'LOGGED', '@ACTIVE'],
  bucket: ['log:read', 'log:write'],
  keys: ['log:sign'],
};
