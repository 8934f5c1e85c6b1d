import type { MomentFacts } from '../rules/moment-facts.ts';
import { ARTIFACTS, BUILDS, trailsOf } from '../rules/series-kinds.ts';
import type { EventSeries } from './settled-events.ts';

/**
 * Returns the series in which the transactions of events may have put entries. A series without such an entry may be
 * among them: a month that is recorded for it costs one empty Query.
 */
export function seriesOf(series: EventSeries, moments: readonly MomentFacts[]): string[] {
  if (series === 'trails') return ['trails', ...new Set(moments.map(({ flow }) => `trails:${flow}`))];
  if (series !== ARTIFACTS) return [series];
  const reported = moments.flatMap(({ content }) => content.changes.filter((change) => change.kind === 'artifact'));
  return [ARTIFACTS, BUILDS, ...new Set(reported.map(({ fingerprint }) => trailsOf(fingerprint)))];
}
