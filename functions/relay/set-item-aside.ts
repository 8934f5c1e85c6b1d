import { errorFacts } from '#shared/base/error-facts.ts';
import { setAside } from '#shared/notifications/records/set-aside.ts';
import type { Key } from '#shared/table/table.ts';
import type { Relay } from './effects.ts';

/**
 * Stores the key of an item whose record cannot be handled, so that a sweep tries the item again, and raises an alarm
 * (`rules/storage.md#failed-records`).
 * @param key undefined if the record does not name its item; then the log line is the only trace
 * @param event id of the record, if a record of the stream brought the item
 */
export async function setItemAside(
  { services: { table, clock }, log }: { services: Pick<Relay['services'], 'table' | 'clock'>; log: Relay['log'] },
  key: Key | undefined,
  event: string | null,
  error: unknown,
): Promise<void> {
  if (key) await setAside(table, key, error, clock.now());
  log('A record of the stream could not be handled and was set aside', { event, ...key, ...errorFacts(error) });
}
