import * as z from 'zod';

/**
 * Ids of the requests that caused a message, as far as they are known (rules/storage.md#requests-of-effects). Sweeps do not know any.
 */
export const Requests = z.array(z.string()).default([]);
