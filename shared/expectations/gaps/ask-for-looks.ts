import type { Clock, Duration } from '#shared/base/time.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { lookMessage } from '#shared/sweeps/visit-message.ts';
import type { Table } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { recordBeat } from '../records/beats.ts';
import { readExpecting } from '../records/expecting-organizations.ts';
import { CHANGE_GAPS } from './change-gap.ts';

/** What beats and looks write. Looks also mark the entries of environments, and check that nothing arrived in flows. */
export const LOOK_FOR_GAPS: Uses = usesTogether([
  CHANGE_GAPS,
  { writes: ['@BEAT', '@EXPECTING', 'CATALOGUE'], removes: ['@EXPECTING'], checks: ['ARRIVED'] },
]);

/**
 * Stores the beat of the minute, and sends a message for each organization in which a look for gaps is due
 * (rules/expectations.md#looks). The beat comes first, so that looks know the minutes that are missing before it.
 *
 * @returns for how long the look that has waited longest is due, in microseconds
 */
export async function askForLooks({
  table,
  clock,
  visits,
}: {
  table: Table;
  clock: Clock;
  visits: Queue;
}): Promise<{ oldest: Duration }> {
  await recordBeat(table, clock.now());
  const expecting = await readExpecting(table);
  const now = clock.now();
  const due = expecting.filter(({ nextAt }) => nextAt <= now);
  await visits.send(due.map(({ org }) => lookMessage(org, now)));
  return { oldest: Math.max(0, ...due.map(({ nextAt }) => now - nextAt)) };
}
