import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { OrganizationId } from '#shared/base/ids.ts';
import { entryOfItem, hasEntry } from '#shared/log/item-entries.ts';
import type { LogEntries } from '#shared/log/send-entries.ts';
import type { Key } from '#shared/table/table.ts';
import { itemOfImage } from './item-of-image.ts';

/** The entries of one organization in a batch. */
export interface LogNews extends LogEntries {
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
