import { DAY } from '#shared/base/texts/durations.ts';
import { type Duration, latestOf, type Micros, minus, plus } from '#shared/base/time.ts';
import { type PresenceDay, SHORTEST_SILENCE } from '#shared/environments/rules/reports/presence-day.ts';

/** Plays an expectation of the kind `reports` over what is known of the past (rules/expectations.md#dry-run). */

const HOUR: Duration = DAY / 24;

/** A gap that there would have been. */
export interface PlayedGap {
  /** When the report was expected. Not exact: it was expected then or earlier. */
  from: Micros;
  /** The report that would have ended it; null = none has come. Not exact: it came then or later. */
  until: Micros | null;
  /** Whether both instants are those of reports. Otherwise the gap contains the interval, and may be longer. */
  isExact: boolean;
}

/** An interval in which there may have been gaps besides those that are listed, or longer ones. */
export interface Unknown {
  from: Micros;
  until: Micros;
  /** `not_counted`: nobody counted the reports; `hours_only`: only the reports of each hour are known. */
  because: 'not_counted' | 'hours_only';
}

export interface Played {
  /** Oldest first. */
  gaps: PlayedGap[];
  unknown: Unknown[];
}

interface Terms {
  every: Duration;
  grace: Duration;
}

interface Past {
  /** What came on the days of the period, the oldest first. Days without a report are left out. */
  days: readonly PresenceDay[];
  /** The last report; 0 = never. */
  last: Micros;
  created: Micros;
  /** The period. Nothing before it is a gap. */
  from: Micros;
  now: Micros;
}

/**
 * Plays an expectation over the presence of an environment. Silences between days, the longest silence of each day and the present one are
 * known by their reports. Of the rest of a day only the reports of each hour are known: hours without one prove a silence of at
 * least their length, and no silence is longer than the longest one.
 */
export function playReports(terms: Terms, { days, last, created, from, now }: Past): Played {
  const play = new Play(terms, latestOf(created, from));
  for (const day of days) {
    play.uncounted(day.before);
    play.silent(day.first);
    if (day.silence) {
      play.counted(day.silence.from, day);
      play.silent(day.silence.until);
    }
    play.counted(day.last, day);
  }
  play.uncounted(last);
  play.silent(now, true);
  return { gaps: play.gaps, unknown: play.unknown };
}

/** Goes from report to report, from the begin of the period on. What lies before it is left out. */
class Play {
  readonly gaps: PlayedGap[] = [];
  readonly unknown: Unknown[] = [];
  readonly #terms: Terms;
  /** The last known report, or the begin. */
  #at: Micros;

  constructor(terms: Terms, begin: Micros) {
    this.#terms = terms;
    this.#at = begin;
  }

  /** No report came until `next`. @param isNow whether none has come since */
  silent(next: Micros, isNow = false): void {
    const { every, grace } = this.#terms;
    if (next - this.#at > every + grace) {
      this.gaps.push({ from: plus(this.#at, every), until: isNow ? null : next, isExact: true });
    }
    this.#reach(next);
  }

  /** Reports may have come until `next`, and nobody counted them. */
  uncounted(next: Micros): void {
    if (this.#mayHide(next)) this.unknown.push({ from: this.#at, until: next, because: 'not_counted' });
    this.#reach(next);
  }

  /** Of the reports until `next` only the number in each hour is known. */
  counted(next: Micros, { hours, silence }: PresenceDay): void {
    const { every, grace } = this.#terms;
    const longest = silence ? silence.until - silence.from : SHORTEST_SILENCE;
    if (longest > every + grace && this.#mayHide(next)) {
      for (const [begin, end] of quietHours(hours, this.#at, next)) {
        if (end - begin > every + grace) this.gaps.push({ from: plus(begin, every), until: end, isExact: false });
      }
      this.unknown.push({ from: this.#at, until: next, because: 'hours_only' });
    }
    this.#reach(next);
  }

  #mayHide(next: Micros): boolean {
    return next - this.#at > this.#terms.every + this.#terms.grace;
  }

  #reach(next: Micros): void {
    this.#at = latestOf(this.#at, next);
  }
}

/** Returns the hours without reports that lie completely between two reports of a day, joined where they follow each other. */
function quietHours(hours: readonly number[], from: Micros, until: Micros): [begin: Micros, end: Micros][] {
  const midnight = minus(from, from % DAY);
  const found: [Micros, Micros][] = [];
  for (const [hour, count] of hours.entries()) {
    const begin = plus(midnight, hour * HOUR);
    const end = plus(begin, HOUR);
    if (count > 0 || begin < from || end > until) continue;
    const before = found.at(-1);
    if (before?.[1] === begin) before[1] = end;
    else found.push([begin, end]);
  }
  return found;
}

/** How long a gap lasted; of an open one, until now. */
export const lengthOf = ({ from, until }: PlayedGap, now: Micros): Duration => (until ?? now) - from;

/** The begin of the period that is played, unless the request names one: 90 days before now. */
export const MOST_DAYS_PLAYED = 90;
export const earliestPlayed = (now: Micros): Micros => minus(now, MOST_DAYS_PLAYED * DAY);
