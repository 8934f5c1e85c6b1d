import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Clock, type Duration, minus } from '#shared/base/time.ts';
import type { Catalogue } from '#shared/series/catalogue.ts';
import type { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { closedDayWrites } from '../records/report-counts.ts';

/** What closing days writes. */
export const CLOSE_DAYS: Uses = { writes: ['CATALOGUE', 'PRESENCE', 'AUDIT'] };

/** Reports of a reporter that is alive close its days, so the sweep leaves them this time. */
const LEFT_TO_REPORTS: Duration = 600_000_000;
/** Days of one organization that are closed at the same time. */
const WIDTH = 4;

/**
 * Closes the days of environments that no report of a later day has closed (rules/environments.md#closed-days). Costs nothing for
 * the other environments, because the sweep has read the catalogue anyway. If a report or another sweep is first, the day is
 * closed already.
 */
export async function closeDays(
  { table, clock }: { table: Table; clock: Clock },
  parts: SweepParts,
  org: OrganizationId,
  catalogue: Catalogue<EnvironmentId>,
): Promise<void> {
  const now = minus(clock.now(), LEFT_TO_REPORTS);
  await inParallel([...catalogue.values()], WIDTH, async ({ id: environment, entry }) => {
    await parts.attempt({ organization: org, environment }, async () => {
      const writes = closedDayWrites(org, environment, entry, { now, refused: () => 'closed' as const });
      if (writes.length > 0) await table.transact(writes);
    });
  });
}
