import * as z from 'zod';
import { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';

/** A message that asks for a visit of an organization by the sweeps (rules/storage.md#visits-of-organizations). */
export const VisitMessage = z.object({
  org: OrganizationId,
  /** When the message was sent. A visit that began later makes it superfluous. */
  sent: StoredMicros,
  /** What the visit is for: effects that the stream did not bring, if nothing is said, or a look for gaps. */
  work: z.literal('gaps').optional(),
});
export type VisitMessage = z.infer<typeof VisitMessage>;

export const visitMessage = (org: OrganizationId, sent: Micros): QueueMessage => ({
  body: { org, sent } satisfies VisitMessage,
  group: org,
});

/** A message that asks for a look for gaps in an organization (rules/expectations.md#looks). */
export const lookMessage = (org: OrganizationId, sent: Micros): QueueMessage => ({
  body: { org, sent, work: 'gaps' } satisfies VisitMessage,
  group: org,
});
