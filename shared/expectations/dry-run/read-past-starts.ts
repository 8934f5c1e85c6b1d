import type { Table } from '#shared/table/table.ts';
import { readDecided } from '../read-decided.ts';
import { readScope } from '../read-scope.ts';
import { playOnce } from '../rules/dry-run/play-arrivals.ts';
import { withoutRestarts } from '../rules/restarts.ts';
import { readStarts } from '../subjects/past-starts.ts';
import { MOST_LOOKED_AT, type Past, type PlayedSubject, refuseMoreThan } from './past.ts';

const MOST_ENVIRONMENTS = 100;
/** Each start costs two queries at least: the trails of its artifact, and the decisions about the artifact and the trails. */
const MOST_STARTS = 500;

/**
 * Plays an expectation of the kind `decision` over the artifacts that started in its environments in the period.
 *
 * @throws ServiceError `invalid` if it would look at too many environments, events or starts
 */
export async function readPastStarts(table: Table, past: Past): Promise<PlayedSubject[]> {
  const { org, scope, terms, control, now } = past;
  const environments = await readScope(table, org, scope);
  refuseMoreThan(MOST_ENVIRONMENTS, environments.length, 'environments');
  const { count, starts } = await readStarts(table, org, environments, {
    from: past.from,
    to: now,
    most: MOST_LOOKED_AT,
  });
  refuseMoreThan(MOST_LOOKED_AT, count, 'events of environments');
  refuseMoreThan(MOST_STARTS, starts.length, 'starts of artifacts');
  const decided = await readDecided(table, org, { control }, starts);
  return withoutRestarts(starts, decided).map(({ start: { environment, fingerprint, name, at }, met }) => ({
    subject: { type: 'artifact', environment, fingerprint, name },
    unknown: [],
    gaps: playOnce(terms, { begun: at, met }, now),
  }));
}
