import { type ExpansionMessage, expansionMessage } from '#shared/environments/expand-message.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import type { ExpanderServices } from '#shared/notifications/services.ts';
import { recountFrom, settleSeries } from '#shared/series/facets.ts';

type SeriesMessage = ExpansionMessage & { work: 'settle' | 'recount' };

/**
 * Appends the milestones of a series, or counts the series again from an entry that appeared late
 * (rules/lists.md#milestones). If the time is over before the work is done, sends a message for the rest.
 *
 * @param isTime whether there is time for another milestone
 */
export async function countSeries(
  { services: { table, clock, expansions } }: { services: ExpanderServices },
  message: SeriesMessage,
  isTime: () => boolean,
): Promise<void> {
  const { org, series } = message;
  const now = clock.now();
  // A call of another message can work on any series, so no months are remembered between calls.
  const noted = new Set<string>();
  if (message.work === 'recount') {
    const left = await recountFrom(table, org, EVIDENCE_FACETS, series, message.entries, now, noted, { isTime });
    if (left === 'recount') await expansions.send([expansionMessage(message)]);
    if (left === 'settle') await expansions.send([expansionMessage({ work: left, org, series })]);
    return;
  }
  const { isDone } = await settleSeries(table, org, EVIDENCE_FACETS, series, now, noted, { isTime });
  if (!isDone) await expansions.send([expansionMessage(message)]);
}
