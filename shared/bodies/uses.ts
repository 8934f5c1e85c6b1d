import type { Uses } from '#shared/table/uses.ts';

/** What is used by whoever reads texts that callers gave, which lie in the bucket where they are long (design §2.10). */
export const READ_BODIES: Uses = { bucket: ['bodies:read'] };
