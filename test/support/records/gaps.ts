import type { OrganizationId } from '#shared/base/ids.ts';
import { type Clock, type Duration, plus } from '#shared/base/time.ts';
import { lookForGaps } from '#shared/expectations/gaps/sweep-gaps.ts';
import type { Table } from '#shared/table/table.ts';

const HOUR: Duration = 3600 * 1_000_000;

/** Looks for gaps in an organization as the service would some hours from now if nothing came meanwhile. */
export async function findGaps(
  { table, clock }: { table: Table; clock: Clock },
  org: OrganizationId,
  hours = 1,
): Promise<void> {
  const later = { now: () => plus(clock.now(), hours * HOUR) };
  const outcome = await lookForGaps({ table, clock: later }, org, {
    sent: later.now(),
    lease: HOUR,
    isTime: () => true,
  });
  if (outcome !== 'complete') throw new Error(`The look was ${outcome}`);
}
