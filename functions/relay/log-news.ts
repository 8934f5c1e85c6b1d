import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import { logMessages } from '#shared/log/log-message.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import type { Key } from '#shared/table/table.ts';
import { itemOfImage } from './item-of-image.ts';

/** Entries for the log of one organization. */
export interface LogNews {
  org: OrganizationId;
  entries: Buffer[];
  /** Names of the trails of entries, by the ids of the trails. */
  trails: Map<TrailId, string>;
  /** Position in the batch of the first record with an entry. */
  record: number;
}

/**
 * Adds the entry of an item to the news of its organization, if the item has one.
 *
 * @throws Error if the item does not have the hash that is stored with it
 */
export function addLogEntry(
  news: Map<OrganizationId, LogNews>,
  key: Key,
  image: Record<string, AttributeValue>,
  record: number,
): void {
  // Most items have none, so they are skipped before they are parsed.
  if (!hasEntry(key)) return;
  const entry = entryOfItem(itemOfImage(image));
  if (!entry) return;
  const known: LogNews = news.get(entry.org) ?? { org: entry.org, entries: [], trails: new Map(), record };
  known.entries.push(entry.bytes);
  if (entry.trail) known.trails.set(entry.trail.id, entry.trail.name);
  news.set(entry.org, known);
}

/** Sends entries to the integrator, which appends each of them once, however often it gets a message. */
export const sendLogEntries = (
  { logEntries }: Pick<RelayServices, 'logEntries'>,
  { org, entries, trails }: Pick<LogNews, 'org' | 'entries' | 'trails'>,
): Promise<void> => logEntries.send(logMessages(org, entries, trails));
