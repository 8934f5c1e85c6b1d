import * as z from 'zod';
import { StoredMicros } from '#shared/base/time.ts';

/** What a suspension refuses: requests that change something, or every request. */
const Suspended = z.enum(['writes', 'everything']);

/** How the operator suspends an organization (rules/organizations.md#suspension). */
export const NewSuspension = z.strictObject({
  what: Suspended,
  /** Callers with access to the organization read it. */
  reason: z.string().trim().min(1).max(256),
});
export type NewSuspension = z.output<typeof NewSuspension>;

/** A suspension as the record of the organization holds it. */
export const Suspension = z.object({ what: Suspended, reason: z.string(), since: StoredMicros });
export type Suspension = z.infer<typeof Suspension>;
