import * as z from 'zod';
import { EnvironmentId, type Id, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { EnvironmentEventItem } from './environment-records.ts';
import { startPartition } from './keys.ts';

/** Artifacts that started in any environment, in the order of time (rules/environments.md#starts-by-time). */

const StartItem = z.object({
  sk: z.string(),
  environment: EnvironmentId,
  /** Number of the event among those of the environment. */
  number: z.int(),
  at: StoredMicros,
  fingerprint: StoredFingerprint,
  name: z.string(),
  origin: EnvironmentEventItem.shape.origin,
});
/** An artifact that started in an environment. `entry` sorts by time. */
export type StoredStart = Omit<z.infer<typeof StartItem>, 'sk'> & { entry: Id };

/**
 * Reads starts of the month of an id, from this id on, the oldest first.
 *
 * @param to the last id; absent = the end of the month
 */
export async function readStartsFrom(
  table: Table,
  org: OrganizationId,
  { from, to, limit }: { from: Id; to?: Id; limit: number },
): Promise<StoredStart[]> {
  const pk = startPartition(org, monthOf(from));
  const items = await table.query({ pk, from, limit, ...(to !== undefined && { to }) });
  return items.map((item) => {
    const { sk: entry, ...start } = StartItem.parse(item);
    return { ...start, entry };
  });
}
