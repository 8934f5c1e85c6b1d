import type { Uses } from '#shared/table/uses.ts';

/** What the integrator writes: the logs of organizations, and which organizations the sweeps check. */
export const INTEGRATOR_USES: Uses = {
  writes: ['LOG', 'LOGGED', '@ACTIVE'],
  bucket: ['log:read', 'log:write'],
};
