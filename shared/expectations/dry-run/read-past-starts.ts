import { inParallel } from '#shared/base/parallel.ts';
import { type EnvironmentEvent, readEventsBefore } from '#shared/environments/records/environment-events.ts';
import type { Table } from '#shared/table/table.ts';
import { readDecided } from '../read-decided.ts';
import { readScope, type Subject } from '../read-scope.ts';
import { playOnce } from '../rules/dry-run/play-arrivals.ts';
import { type Start, startOf } from '../subjects/artifact-subjects.ts';
import { MOST_LOOKED_AT, type Past, type PlayedSubject, refuseMoreThan } from './past.ts';

const MOST_ENVIRONMENTS = 100;
/** Each start costs two calls' places at least: the trails of its artifact, and the decisions about the artifact and the trails. */
const MOST_STARTS = 500;
/** Events that one Query reads. */
const EVENTS_AT_ONCE = 100;
/** Environments whose events are read at the same time. */
const WIDTH = 8;

/**
 * Plays an expectation of the kind `decision` over the artifacts that started in its environments in the period.
 *
 * @throws ServiceError `invalid` if it would look at too many environments, events or starts
 */
export async function readPastStarts(table: Table, past: Past): Promise<PlayedSubject[]> {
  const { org, scope, terms, control, now } = past;
  const environments = await readScope(table, org, scope);
  refuseMoreThan(MOST_ENVIRONMENTS, environments.length, 'environments');
  const starts = await readStarts(table, past, environments);
  refuseMoreThan(MOST_STARTS, starts.length, 'starts of artifacts');
  const decided = await readDecided(table, org, { control }, starts);
  return starts.map(({ environment, fingerprint, name, at }, i) => ({
    subject: { type: 'artifact', environment, fingerprint, name },
    unknown: [],
    gaps: playOnce(terms, { begun: at, met: decided[i] ?? null }, now),
  }));
}

async function readStarts(table: Table, past: Past, environments: readonly Subject[]): Promise<Start[]> {
  let count = 0;
  const starts: Start[] = [];
  await inParallel(environments, WIDTH, async ({ id, name }) => {
    let before: number | null = null;
    let isEnd = false;
    while (!isEnd) {
      const events: EnvironmentEvent[] = await readEventsBefore(table, past.org, id, before, EVENTS_AT_ONCE);
      const counted = events.filter(({ at }) => at >= past.from);
      count += counted.length;
      refuseMoreThan(MOST_LOOKED_AT, count, 'events of environments');
      starts.push(...counted.flatMap((event) => startOf(name, event)));
      isEnd = counted.length < EVENTS_AT_ONCE;
      before = counted.at(-1)?.number ?? null;
    }
  });
  return starts;
}
