import * as z from 'zod';
import { OrganizationId, type TrailId } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { LONGEST_DELAY_SECONDS, type Queue, type QueueMessage } from '#shared/queues/queue.ts';
import { Requests } from '#shared/queues/requests.ts';

/**
 * A message to the integrator: entries for the log of an organization (rules/log.md#messages). A message without entries
 * asks to publish what is not published.
 */
export const LogMessage = z.object({
  org: OrganizationId,
  entries: z.array(z.base64()).default([]),
  /** Names of the trails of entries, by the ids of the trails. Moments are read by these names. */
  trails: z.record(z.string(), AnyTrailName).default({}),
  requests: Requests,
  /** The number of the log in the line for signatures (rules/log.md#signatures-of-a-region). Only if it has one. */
  number: z.int().optional(),
});
export type LogMessage = z.infer<typeof LogMessage>;

/** Most bytes of the entries of a message, in base64. With names of trails it stays below 100 KB. */
const MESSAGE_BYTES = 64_000;

/**
 * Addresses entries to the integrator. The organization is the group of the messages (rules/storage.md#queues).
 *
 * @param requests ids of the requests that wrote the entries, as far as they are known
 */
export function logMessages(
  org: OrganizationId,
  entries: readonly Uint8Array[],
  trails: ReadonlyMap<TrailId, TrailName>,
  requests: readonly string[] = [],
): QueueMessage[] {
  const names = Object.fromEntries(trails);
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const text = Buffer.from(entry).toString('base64');
    if (bytes + text.length > MESSAGE_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(text);
    bytes += text.length;
  }
  const body = { org, trails: names, requests: [...requests] };
  return parts.map((part) => ({ body: { ...body, entries: part } satisfies LogMessage, group: org }));
}

/** A later publication of a log. */
export interface Later {
  inSeconds: number;
  /** The number of the log in the line for signatures, if it has one. */
  number?: number | undefined;
}

export const publishMessage = (org: OrganizationId, { inSeconds, number }: Later = { inSeconds: 0 }): QueueMessage => ({
  body: { org, number },
  group: org,
  delaySeconds: Math.min(inSeconds, LONGEST_DELAY_SECONDS),
});

export interface LogEntries {
  org: OrganizationId;
  entries: Buffer[];
  /** Names of the trails of entries, by the ids of the trails. */
  trails: Map<TrailId, TrailName>;
  /** Ids of the requests that wrote the entries, as far as they are known. */
  requests: readonly string[];
}

/** Sends entries to the integrator, which appends each of them once, however often it gets a message. */
export const sendLogEntries = (
  { logEntries }: { logEntries: Queue },
  { org, entries, trails, requests }: LogEntries,
): Promise<void> => logEntries.send(logMessages(org, entries, trails, requests));
