import { isKnownFingerprint } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { type EnvironmentEvent, readEventsBefore } from '#shared/environments/records/environment-events.ts';
import type { Table } from '#shared/table/table.ts';
import { readDecided, type StartedArtifact } from '../read-decided.ts';
import { readScope, type Subject } from '../read-scope.ts';
import type { Expectation } from '../rules/expectation.ts';
import { judgeOnce } from '../rules/judge-once.ts';
import type { JudgedSubject, SubjectPage, SubjectsFound } from './subject.ts';

/** Most events that one Query of a page reads. */
const EVENTS_AT_ONCE = 100;
/** Most Queries of events that one page makes. */
const MOST_READS = 4;

/**
 * Lists the artifacts of an expectation of the kind `decision`: those that started in its environments since `starts_at`, by environment,
 * the newest start first. A page looks at a limited number of events, so it can be short or empty and still have a next page.
 */
export async function findArtifacts(table: Table, page: SubjectPage): Promise<SubjectsFound> {
  const { org, expectation, now, limit, state } = page;
  const environments = await readScope(table, org, expectation.scope);
  const { starts, end } = await readStarts(table, environments, page);
  // Without a state each of them is on the page, so no more than the page are read.
  const candidates = state === undefined ? starts.slice(0, limit) : starts;
  const decided = await readDecided(table, org, expectation, candidates);
  const judged = candidates.map((start, i) => ({ start, judged: judge(expectation, start, decided[i] ?? null, now) }));
  const wanted = judged.filter((one) => state === undefined || one.judged.state === state);
  const shown = wanted.slice(0, limit);
  const isFull = wanted.length > limit || (state === undefined && starts.length > limit);
  const final = shown.at(-1)?.start;
  const last = isFull && final ? placeText(final.environment, final.number) : end;
  return { subjects: shown.map((one) => one.judged), counts: null, last };
}

/** A start of an artifact in an environment, with the number of its event. */
export interface Start extends StartedArtifact {
  environment: EnvironmentName;
  number: number;
  name: string;
}

/**
 * Reads starts from the place on that the page before ended with.
 * @returns the starts, and the place after the last event that was read; null if there are no more events
 */
async function readStarts(table: Table, environments: readonly Subject[], page: SubjectPage) {
  const { org, expectation, limit, state } = page;
  const place = placeOf(page.after);
  const starts: Start[] = [];
  let reads = 0;
  for (const { id, name } of environments) {
    if (place && name < place.environment) continue;
    let before = place?.environment === name ? place.number : null;
    let isEnd = false;
    while (!isEnd) {
      if (reads === MOST_READS || (state === undefined && starts.length > limit)) {
        return { starts, end: placeText(name, before) };
      }
      reads += 1;
      const events = await readEventsBefore(table, org, id, before, EVENTS_AT_ONCE);
      const counted = events.filter(({ at }) => at >= expectation.startsAt);
      starts.push(...counted.flatMap((event) => startOf(name, event)));
      isEnd = counted.length < EVENTS_AT_ONCE;
      before = counted.at(-1)?.number ?? null;
    }
  }
  return { starts, end: null };
}

/** Returns the start that an event is; none if it is another event, or one of an artifact whose fingerprint nobody knows. */
export function startOf(environment: EnvironmentName, event: EnvironmentEvent): Start[] {
  const { type, fingerprint, at, number, name, origin } = event;
  if (type !== 'started' || !isKnownFingerprint(fingerprint)) return [];
  return [{ environment, number, name, fingerprint, at, origin }];
}

function judge(expectation: Expectation, start: Start, met: Micros | null, now: Micros): JudgedSubject {
  const { environment, fingerprint, name, at } = start;
  const subject = { type: 'artifact' as const, environment, fingerprint, name };
  return { subject, met: met ?? EPOCH, ...judgeOnce(expectation, { begun: at, met }, now) };
}

/** The place after event `number` of an environment, or before its newest event. Names of environments contain no slash. */
const placeText = (environment: string, number: number | null): string => `${environment}/${number ?? ''}`;

function placeOf(text: string | undefined): { environment: string; number: number | null } | null {
  const [, environment, number] = /^([^/]+)\/(\d{0,10})$/.exec(text ?? '') ?? [];
  if (environment === undefined) return null;
  return { environment, number: number === undefined || number === '' ? null : Number(number) };
}
