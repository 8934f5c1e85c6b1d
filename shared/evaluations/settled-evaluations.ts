import { firstIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { firstEntries, monthsBetween } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { DEADLINE_AFTER, EVALUATIONS } from './records/evaluations.ts';

interface SettledEvaluations {
  evaluations: Id[];
  /** All settled evaluations up to this id of the list, inclusive, were found. */
  upTo: Id;
  /** Whether more evaluations may have settled after `upTo`. */
  more: boolean;
}

/**
 * Reads the settled evaluations after an id of their list, oldest first. An evaluation is settled when its deadline is
 * long over: by then it has ended.
 */
export async function settledEvaluations(
  table: Table,
  org: OrganizationId,
  after: Id,
  now: Micros,
  limit: number,
): Promise<SettledEvaluations> {
  const horizon = firstIdAt(minus(now, DEADLINE_AFTER + SETTLING_MICROS));
  const months = monthsBetween(timeOfId(after), now);
  const listed = await firstEntries(table, org, EVALUATIONS, months, `${after}\0`, limit);
  const settled = listed.filter(({ id }) => id < horizon);
  const last = settled.at(-1)?.id;
  const more = last !== undefined && settled.length === limit;
  const end = more ? last : horizon;
  return { evaluations: settled.map(({ r }) => String(r)), upTo: end > after ? end : after, more };
}
