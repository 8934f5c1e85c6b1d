import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { positionKey } from '#shared/sweeps/keys.ts';
import type { Table } from '#shared/table/table.ts';

/** How far the sweep of chains came (`rules/storage.md#lost-effects`). An empty text stands for the beginning. */
const ChainPositions = z.object({
  recent: z.string(),
  trails: z.string(),
  /** Id of the last statement that was checked, or the first digit of the next ones. */
  statements: z.string(),
});
export type ChainPositions = z.infer<typeof ChainPositions>;

const BEGINNING: ChainPositions = { recent: '', trails: '', statements: '' };

export async function readChainPositions(table: Table, org: OrganizationId): Promise<ChainPositions> {
  const item = await table.get(positionKey(org, 'chains'));
  return item ? ChainPositions.parse(item) : BEGINNING;
}

/**
 * Stores the positions if they changed. If two sweeps run at once, the later write counts: both sweeps have checked what
 * they read, so the next one only repeats work.
 */
export async function saveChainPositions(
  table: Table,
  org: OrganizationId,
  before: ChainPositions,
  { recent, trails, statements }: ChainPositions,
): Promise<void> {
  if (before.recent === recent && before.trails === trails && before.statements === statements) return;
  await table.put({ ...positionKey(org, 'chains'), v: 1, recent, trails, statements });
}
