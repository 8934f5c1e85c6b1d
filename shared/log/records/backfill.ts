import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { change, exists } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import { backfillKey, logHeadKey } from './keys.ts';
import type { BackfillBorder } from './log-state.ts';

/** Where a backfill continues (rules/log.md#backfill). */
const BackfillPlace = z.object({
  stage: z.enum(['trails', 'environments', 'audit', 'evaluations']),
  /** Id of the last trail, environment, audit entry or evaluation that was looked at. */
  after: z.string(),
});
export type BackfillPlace = z.infer<typeof BackfillPlace>;

/** @returns null if no backfill is under way */
export async function readBackfill(table: Table, org: OrganizationId): Promise<BackfillPlace | null> {
  const item = await table.get(backfillKey(org));
  return item?.['place'] ? BackfillPlace.parse(item['place']) : null;
}

/** @param place null after the last portion: the next backfill begins again */
export const storeBackfill = (table: Table, org: OrganizationId, place: BackfillPlace | null): Promise<void> =>
  table.put({ ...backfillKey(org), v: 1, place });

/** Stores in the head of a log up to which index entries were appended late. */
export const storeBackfilled = (table: Table, org: OrganizationId, border: BackfillBorder): Promise<boolean> =>
  table.update(logHeadKey(org), change({ set: { backfilled: border } }, exists()));
