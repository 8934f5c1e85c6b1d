import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { relayedKey } from './keys.ts';

/** How far the sweep of chains came (`rules/storage.md#lost-effects`). An empty text stands for the beginning. */
const ChainPlaces = z.object({
  /** Id of the last recent trail that was checked. */
  recent: z.string(),
  /** Id of the last trail that was checked. */
  trails: z.string(),
  /** Id of the last statement that was checked, or the first digit of the next ones. */
  statements: z.string(),
});
export type ChainPlaces = z.infer<typeof ChainPlaces>;

const BEGINNING: ChainPlaces = { recent: '', trails: '', statements: '' };

export async function readChainPlaces(table: Table, org: OrganizationId): Promise<ChainPlaces> {
  const item = await table.get(relayedKey(org, 'chains'));
  return item ? ChainPlaces.parse(item) : BEGINNING;
}

/**
 * Stores the places if they changed. If two sweeps run at once, the later write counts: both sweeps have checked what
 * they read, so the next one only repeats work.
 */
export async function saveChainPlaces(
  table: Table,
  org: OrganizationId,
  before: ChainPlaces,
  { recent, trails, statements }: ChainPlaces,
): Promise<void> {
  if (before.recent === recent && before.trails === trails && before.statements === statements) return;
  await table.put({ ...relayedKey(org, 'chains'), v: 1, recent, trails, statements });
}
