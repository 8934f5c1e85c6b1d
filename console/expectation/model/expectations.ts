import type { StateName } from '../../model/states.ts';
import { ago } from '../../model/time.ts';
import { count, listed } from '../../model/words.ts';
import type { Expectation, StateCounts, Subject } from '../operations.ts';
import { durationSeconds, durationText } from './durations.ts';
import { otherSentence, subjectName } from './subjects.ts';

/** States of subjects, what is wrong first. */
export const SUBJECT_STATES = ['missed', 'late', 'unknown', 'met'] as const;
const SEVERITIES = ['critical', 'warning', 'info'] as const;

const DAY = 86_400;
/** What is due within this time is listed. */
const SOON = 14 * DAY;

/** An expectation of the list, with counts. */
type Listed = Pick<
  Expectation,
  'name' | 'archived' | 'severity' | 'every' | 'counts' | 'open_gaps' | 'next_due_at' | 'unreadable'
>;

/** How subjects are. Trails and artifacts are not counted: only of how many of them something is missing. */
interface Counted {
  counts?: StateCounts | null | undefined;
  open_gaps?: number | undefined;
}

/** The worst state of the subjects; null without subjects, or if nobody counted them. */
function worstState({ counts, open_gaps: open }: Counted): (typeof SUBJECT_STATES)[number] | null {
  if (open !== undefined) return open > 0 ? 'missed' : 'met';
  return SUBJECT_STATES.find((state) => (counts?.[state] ?? 0) > 0) ?? null;
}

/** What a list shows as the state of an expectation. */
export function stateOfExpectation({ archived, ...counted }: Pick<Expectation, 'archived'> & Counted): StateName {
  if (archived) return 'archived';
  return worstState(counted) ?? 'unknown';
}

/** The place of a value in an order; a value that the order does not have is last. */
const placeIn = (order: readonly string[], value: string | null): number => {
  const place = value === null ? -1 : order.indexOf(value);
  return place < 0 ? order.length : place;
};

/** What is missed first, then what is late; in each of them what is critical, then what is due next. */
export const byUrgency = <E extends Listed>(expectations: readonly E[]): E[] =>
  expectations.toSorted(
    (one, other) =>
      placeIn(SUBJECT_STATES, worstState(one)) - placeIn(SUBJECT_STATES, worstState(other)) ||
      placeIn(SEVERITIES, one.severity) - placeIn(SEVERITIES, other.severity) ||
      (one.next_due_at ?? Number.POSITIVE_INFINITY) - (other.next_due_at ?? Number.POSITIVE_INFINITY) ||
      0,
  );

/** Subjects, who is silent first; names stay in their order. */
export const byState = <S extends Pick<Subject, 'state'>>(subjects: readonly S[]): S[] =>
  subjects.toSorted((one, other) => SUBJECT_STATES.indexOf(one.state) - SUBJECT_STATES.indexOf(other.state));

/**
 * What is due within 14 days, the next one first. An interval below a day is always due within hours, so it would only hide
 * what people have to do.
 *
 * @param now seconds since 1970
 */
export const dueSoon = <E extends Listed>(expectations: readonly E[], now: number): E[] =>
  expectations
    .filter(({ archived, every }) => !archived && (durationSeconds(every) ?? 0) >= DAY)
    .filter(({ next_due_at: due }) => due !== null && due !== undefined && due < now + SOON)
    .toSorted((one, other) => (one.next_due_at ?? 0) - (other.next_due_at ?? 0));

/** What the list of expectations says first. */
export function expectationListSentence(expectations: readonly Listed[]): string {
  const active = expectations.filter(({ archived, unreadable }) => !archived && unreadable !== true);
  if (active.length === 0) return 'Silence is not noticed: nothing is expected yet.';
  const names = (state: string) => active.filter((one) => worstState(one) === state).map(({ name }) => name);
  const [missed, late] = [names('missed'), names('late')];
  if (missed.length + late.length === 0) {
    const open = active.filter((one) => worstState(one) !== 'met').length;
    if (open > 0)
      return `${count(active.length - open, 'expectation')} of ${active.length} met, and nothing is overdue.`;
    return active.length === 1 ? 'The only expectation is met.' : `All ${active.length} expectations are met.`;
  }
  const parts = [
    missed.length > 0 && `${missed.length} of ${count(active.length, 'expectation')} missed: ${listed(missed)}`,
    late.length > 0 && `${listed(late)} ${late.length === 1 ? 'is' : 'are'} late`,
  ].filter((part) => part !== false);
  return `${parts.join('. ')}.`;
}

interface Judged {
  /** Null for trails and artifacts, which nobody counts. */
  counts: StateCounts | null;
  /** The subjects that are read: all of them, or a page. */
  subjects: readonly Pick<Subject, 'environment' | 'subject' | 'state' | 'last_reported_at'>[];
}

/** Whether the subjects of an expectation meet it, and who does not. */
export function expectationSentence(
  { kind = 'reports', archived, every, grace }: Pick<Expectation, 'archived' | 'every' | 'grace'> & { kind?: string },
  { counts, subjects }: Judged,
  now: number,
): string {
  if (archived) return 'Archived: it expects nothing.';
  if (kind !== 'reports' || !counts) return otherSentence({ every, grace }, counts);
  const asked = `at least every ${durationText(every)}, with ${durationText(grace)} of grace`;
  const total = SUBJECT_STATES.reduce((sum, state) => sum + counts[state], 0);
  if (total === 0) return 'No environment is in its scope, so nothing can be missed.';
  const wrong = (['missed', 'late'] as const).filter((state) => counts[state] > 0);
  if (wrong.length === 0) {
    if (counts.met < total)
      return `Met by ${counts.met} of ${count(total, 'environment')}; of the others nobody knows.`;
    return total === 1 ? `Met: it reports ${asked}.` : `Met: all ${total} environments report ${asked}.`;
  }
  return wrong
    .map((state) => `${wrongText(state, { counts, subjects }, now)}.`)
    .join(' ')
    .concat(` Expected ${asked}.`);
}

const WRONG = { missed: 'is silent', late: 'is late' } as const;

function wrongText(
  state: 'missed' | 'late',
  { counts, subjects }: Judged & { counts: StateCounts },
  now: number,
): string {
  const found = subjects.filter((one) => one.state === state);
  const [first, ...others] = found;
  const number = counts[state];
  // A page of the subjects does not name all of them.
  if (found.length < number)
    return `${count(number, 'environment')} ${number === 1 ? WRONG[state] : WRONG[state].replace('is', 'are')}`;
  if (first && others.length === 0) {
    const last = first.last_reported_at ?? null;
    return `${subjectName(first)} ${WRONG[state]}: ${last === null ? 'it never reported' : `the last report came ${ago(last, now)}`}`;
  }
  return `${listed(found.map(subjectName))} ${WRONG[state].replace('is', 'are')}`;
}
