import { type Id, type OrganizationId, preciseId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { noteMonth } from '#shared/series/milestones.ts';
import { entryWrite } from '#shared/series/series.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';

export interface TestEntry {
  id: Id;
  [attribute: string]: unknown;
}

/** Entries minted at these instants, numbered by the attribute `r`. */
export const entriesAt = (
  times: readonly Micros[],
  attributes: (i: number) => Record<string, string> = () => ({}),
): TestEntry[] => times.map((at, i) => ({ r: `record-${i}`, ...attributes(i), id: preciseId(at) }));

/** The item of an entry, as the transaction of a writer puts it. */
export function entryItem(org: OrganizationId, series: string, { id, ...attributes }: TestEntry): Item {
  const write = entryWrite(org, series, id, attributes);
  if (!('put' in write)) throw new Error('An entry is a put');
  return write.put;
}

/** Puts entries as writers do, and notes their months as the relay does. */
export async function fillSeries(
  table: Table,
  org: OrganizationId,
  series: string,
  entries: readonly TestEntry[],
): Promise<void> {
  await table.putMany(entries.map((entry) => entryItem(org, series, entry)));
  for (const month of new Set(entries.map(({ id }) => monthOf(id)))) await noteMonth(table, org, series, month);
}
