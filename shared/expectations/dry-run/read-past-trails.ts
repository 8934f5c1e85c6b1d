import { timeOfId } from '#shared/base/ids.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { seriesPage } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import { readFlowScope } from '../read-flow-scope.ts';
import { readCompletions } from '../records/arrivals.ts';
import { playOnce } from '../rules/dry-run/play-arrivals.ts';
import type { Past, PlayedSubject } from './past.ts';
import { type ListOfFlow, readPastEntries } from './read-past-entries.ts';

/** The list of the trails of a flow, or of all flows. */
export const listOfTrails =
  (table: Table, { org, now }: Pick<Past, 'org' | 'now'>): ListOfFlow =>
  (flow, query, window) =>
    seriesPage(table, org, flow === undefined ? 'trails' : `trails:${flow}`, query, now, window);

/**
 * Plays an expectation of the kind `completion` over the trails of its flows that began in the period.
 *
 * @throws ServiceError `invalid` if it would look at too many
 */
export async function readPastTrails(table: Table, past: Past): Promise<PlayedSubject[]> {
  const { org, scope, terms, now } = past;
  const flows = await readFlowScope(table, org, scope);
  const names = new Map(flows.map(({ id, name }) => [id, name]));
  const entries = await readPastEntries([listOfTrails(table, past)], [...names.keys()], past, 'trails');
  const trails = entries.map(listedTrail);
  const completions = await readCompletions(table, org, trails);
  return trails.flatMap(({ flow: id, trail, entry }, i) => {
    const flow = names.get(id);
    const times = { begun: timeOfId(entry), met: completions[i] ?? null };
    if (flow === undefined) return [];
    return [{ subject: { type: 'trail', flow, trail }, unknown: [], gaps: playOnce(terms, times, now) }];
  });
}
