import type { OrganizationId } from '#shared/base/ids.ts';
import type { Duration } from '#shared/base/time.ts';
import { lookForGaps } from '#shared/expectations/gaps/sweep-gaps.ts';
import type { Table } from '#shared/table/table.ts';
import type { MovableClock } from '../clock.ts';
import { recordingQueue } from '../queue.ts';

const HOUR: Duration = 3600 * 1_000_000;

/** Lets hours pass in which nothing comes, and looks for gaps in an organization. */
export async function findGaps(
  { table, clock }: { table: Table; clock: MovableClock },
  org: OrganizationId,
  hours = 1,
): Promise<void> {
  clock.advance(hours * HOUR);
  const look = { sent: clock.now(), lease: HOUR, isTime: () => true };
  const outcome = await lookForGaps({ table, clock, deliveries: recordingQueue().queue }, org, look);
  if (outcome !== 'complete') throw new Error(`The look was ${outcome}`);
}
