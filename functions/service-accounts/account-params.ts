import * as z from 'zod';

/** Path parameters of one account. A name outside the pattern is unknown, not invalid (rules/organizations.md#account-endpoints). */
export const accountParams = { org: z.string(), name: z.string() };
export const keyParams = { ...accountParams, key_id: z.string() };
