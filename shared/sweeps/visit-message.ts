import * as z from 'zod';
import { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';

/** A message that asks for a visit of an organization by the sweeps (rules/storage.md#visits-of-organizations). */
export const VisitMessage = z.object({
  org: OrganizationId,
  /** When the message was sent. A visit that began later makes it superfluous. */
  sent: StoredMicros,
});
export type VisitMessage = z.infer<typeof VisitMessage>;

export const visitMessage = (org: OrganizationId, sent: Micros): QueueMessage => ({
  body: { org, sent } satisfies VisitMessage,
  group: org,
});
