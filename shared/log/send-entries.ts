import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { logMessages } from './log-message.ts';

export interface LogEntries {
  org: OrganizationId;
  entries: Buffer[];
  /** Names of the trails of entries, by the ids of the trails. */
  trails: Map<TrailId, string>;
}

/** Sends entries to the integrator, which appends each of them once, however often it gets a message. */
export const sendLogEntries = (
  { logEntries }: { logEntries: Queue },
  { org, entries, trails }: LogEntries,
): Promise<void> => logEntries.send(logMessages(org, entries, trails));
