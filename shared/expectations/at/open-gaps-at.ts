import { firstPreciseIdAt, type Id } from '#shared/base/ids.ts';
import { plus } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { readGapItems, readGaps, readOngoing } from '../records/gaps.ts';
import { Gap } from '../rules/gaps/gap.ts';
import { wasOpenAt } from '../rules/gaps/was-open.ts';
import type { Instant } from './judged-at.ts';

/** Gaps that are read besides those that last: the newest that began until the instant. */
const MOST_ENDED = 300;

/**
 * Counts the gaps that were open at an instant, by the id of their expectation. Those that still last are all counted; of those that
 * ended since, the newest 300.
 */
export async function countOpenGaps(table: Table, { org, at }: Instant): Promise<ReadonlyMap<Id, number>> {
  const [ongoing, recent] = await Promise.all([
    readOngoing(table, org).then((found) =>
      readGaps(
        table,
        org,
        found.map(({ gap }) => gap),
      ),
    ),
    readGapItems(table, org, { to: firstPreciseIdAt(plus(at, 1)), limit: MOST_ENDED }),
  ]);
  const items = new Map([...ongoing, ...recent].map((item) => [item.sk, item]));
  const open = [...items.values()].map((item) => Gap.parse(item)).filter((gap) => wasOpenAt(gap, at));
  const counts = new Map<Id, number>();
  for (const { expectation } of open) counts.set(expectation.id, (counts.get(expectation.id) ?? 0) + 1);
  return counts;
}
