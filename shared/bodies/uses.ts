import type { Uses } from '#shared/table/uses.ts';

/** Uses of functions that read texts of callers. Long texts lie in the bucket. */
export const READ_BODIES: Uses = { bucket: ['bodies:read'] };
