import { type Id, type OrganizationId, preciseId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { facetsOf } from '#shared/series/facets.ts';
import { recordMonth } from '#shared/series/milestones.ts';
import { entryWrite, MILESTONE_EVERY } from '#shared/series/series.ts';
import { type Milestone, milestoneItems, monthOf } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { fillTable } from './fill-table.ts';

export interface TestEntry {
  id: Id;
  [attribute: string]: unknown;
}

/** Entries minted at these instants, numbered by the attribute `r`. */
export const entriesAt = (
  times: readonly number[],
  attributes: (i: number) => Record<string, string> = () => ({}),
): TestEntry[] => times.map((at, i) => ({ r: `record-${i}`, ...attributes(i), id: preciseId(micros(at)) }));

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
  await fillTable(
    table,
    entries.map((entry) => entryItem(org, series, entry)),
  );
  for (const month of new Set(entries.map(({ id }) => monthOf(id)))) await recordMonth(table, org, series, month);
}

/**
 * Puts settled entries with all that the relay makes of them: milestones, and facets with milestones of their own. It makes
 * a small part of the calls of `settleSeries`, which reads and writes 64 entries at a time. `series.volume.test.ts`
 * compares the items of both.
 * @param entries all entries of the series, oldest first
 * @param isRead chooses the facets that the test reads; all unless said
 */
export async function fillSettledSeries(
  table: Table,
  org: OrganizationId,
  series: string,
  entries: readonly TestEntry[],
  isRead: (facet: string) => boolean = () => true,
): Promise<void> {
  const milestones = milestonesOf(entries);
  const covered = entries.slice(0, milestones.at(-1)?.total ?? 0);
  const copies = covered.flatMap((entry) =>
    facetsOf(EVIDENCE_FACETS, series, entry)
      .filter(isRead)
      .map((facet) => ({ facet, entry })),
  );
  const facets = [...Map.groupBy(copies, ({ facet }) => facet)];
  const filled = [
    { series, entries },
    ...facets.map(([facet, group]) => ({ series: facet, entries: group.map(({ entry }) => entry) })),
  ];
  for (const one of filled) {
    await fillSeries(table, org, one.series, one.entries);
    await fillTable(
      table,
      milestonesOf(one.entries).flatMap((milestone) => milestoneItems(org, one.series, milestone)),
    );
  }
}

/** One milestone for each 64 entries that are followed by another one. */
const milestonesOf = (entries: readonly TestEntry[]): Milestone[] =>
  entries.flatMap(({ id }, i) => (i > 0 && i % MILESTONE_EVERY === 0 ? [{ total: i, first: id }] : []));
