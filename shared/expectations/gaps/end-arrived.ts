import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Table } from '#shared/table/table.ts';
import { readUnknownTime } from '../records/beats.ts';
import { type Ongoing, readGap } from '../records/gaps.ts';
import type { Gap } from '../rules/gaps/gap.ts';
import { firstAfter } from '../rules/gaps/plan.ts';
import { endGap } from './change-gap.ts';
import type { Watched } from './watched.ts';

/** Gaps that are ended at the same time. */
const WIDTH = 8;

/**
 * Ends those of lasting gaps whose subjects have an arrival since. What counts is what is stored, so calls may come late, twice or in
 * another order.
 *
 * @param readSubject reads the subject of a gap as it is now; null if it is none any more: the look ends the gap
 */
export async function endArrived(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  lasting: readonly Ongoing[],
  readSubject: (table: Table, org: OrganizationId, gap: Gap) => Promise<Watched | null>,
): Promise<void> {
  if (lasting.length === 0) return;
  const now = clock.now();
  const unknown = await readUnknownTime(table, now);
  await inParallel(lasting, WIDTH, (one) => endIfArrived(one));

  async function endIfArrived({ gap: id, lastAt }: Ongoing): Promise<void> {
    const gap = await readGap(table, org, id);
    const watched = gap ? await readSubject(table, org, gap) : null;
    const until = watched === null ? undefined : firstAfter(lastAt, watched.arrivals);
    if (watched === null || until === undefined) return;
    const arrivalAt = await watched.readArrivals();
    await endGap(table, org, id, { until, ended: 'arrived', firstAfter: arrivalAt(until) }, { unknown, now });
  }
}
