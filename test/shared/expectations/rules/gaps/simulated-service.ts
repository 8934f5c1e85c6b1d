import { expect } from 'vitest';
import { type Micros, micros } from '#shared/base/time.ts';
import { type OngoingGap, planGaps, type Step, type SubjectArrivals } from '#shared/expectations/rules/gaps/plan.ts';
import { isTooLong } from '#shared/expectations/rules/gaps/silence.ts';
import { missingBetween, type UnknownTime, unknownWithin } from '#shared/expectations/rules/gaps/unknown-time.ts';

/** A day of the service in seconds: it looks once a minute, is told of arrivals while a gap lasts, and is down for half an hour. */

const SECOND = 1_000_000;
export const DAY = 24 * 3600;
export const OUTAGE = { from: 10 * 3600, to: 10 * 3600 + 1800 };
const START = 1_800_000_000;
export const at = (second: number): Micros => micros((START + second) * SECOND);
export const secondOf = (instant: Micros) => instant / SECOND - START;

/** A generator of numbers below one that gives the same ones in each run. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A gap of the day. */
export interface Found {
  subject: string;
  from: number;
  until: number | null;
  state: 'gap' | 'unknown';
}

export const inOrder = (found: readonly Found[]): Found[] =>
  found.toSorted((one, other) =>
    one.subject < other.subject ? -1 : one.subject > other.subject ? 1 : one.from - other.from,
  );

/**
 * Says from what was missing whether it was a gap, apart from the code of the service.
 *
 * @param until when it came; null = not by the end of the day, or the last look
 */
export function oracleGap(
  subject: string,
  since: number,
  until: number | null,
  { every, grace, last }: { every: number; grace: number; last: number },
): Found[] {
  const end = until ?? last;
  if (end - since <= every + grace) return [];
  const out = Math.max(0, Math.min(end, OUTAGE.to) - Math.max(since, OUTAGE.from));
  return [{ subject, from: since + every, until, state: end - since - out > every + grace ? 'gap' : 'unknown' }];
}

interface LastingGap extends OngoingGap {
  from: number;
}

/** What the service stores of gaps, and what it knows of its own minutes. */
export class SimulatedService {
  readonly terms: { every: number; grace: number; version: number; changedAt: Micros; startsAt: Micros };
  readonly lasting = new Map<string, LastingGap>();
  lookedAt: Micros | null = null;
  unknown: UnknownTime[] = [];
  readonly #found = new Map<string, Found>();
  #beat: Micros = at(0);
  #now: Micros = at(0);

  /** @param every seconds, like `grace` */
  constructor(every: number, grace: number) {
    this.terms = { every: every * SECOND, grace: grace * SECOND, version: 1, changedAt: at(0), startsAt: at(0) };
  }

  get found(): Found[] {
    return inOrder([...this.#found.values()]);
  }

  /** Stores the beat of a minute, and begins a look. */
  beginLook(second: number): void {
    this.#now = at(second);
    const missing = missingBetween(this.#beat, this.#now);
    if (missing) this.unknown = [...this.unknown, missing];
    this.#beat = this.#now;
  }

  endLook(): void {
    this.lookedAt = this.#now;
  }

  /** Looks at a subject. What was stored before is not stored again. */
  look(subject: string, arrivals: SubjectArrivals): void {
    const look = { now: this.#now, lookedAt: this.lookedAt, unknown: this.unknown };
    for (const step of planGaps(this.terms, arrivals, this.lasting.get(subject), look).steps)
      this.#apply(subject, step);
  }

  /** Tells that something came, as the relay does. */
  arrive(subject: string, arrival: Micros): void {
    const gap = this.lasting.get(subject);
    if (gap && arrival > gap.lastAt) this.#end(subject, gap, arrival);
  }

  #apply(subject: string, step: Step): void {
    const gap = this.lasting.get(subject);
    if (step.step === 'end') {
      if (gap) this.#end(subject, gap, step.until);
    } else if (step.step === 'raise') {
      if (!gap) throw new Error('A gap is raised that does not last');
      this.lasting.set(subject, { ...gap, isKnown: true });
      this.#store({ subject, from: gap.from, until: null, state: 'gap' });
    } else {
      const { since, isKnown, from: fromAt } = step.overdue;
      const from = secondOf(fromAt);
      // The id of a gap follows from its beginning.
      if (this.#found.has(`${subject}#${from}`)) return;
      const until = step.step === 'record' ? secondOf(step.until) : null;
      this.#store({ subject, from, until, state: isKnown ? 'gap' : 'unknown' });
      if (step.step === 'open') {
        expect(gap, `a second gap of ${subject} at a time`).toBeUndefined();
        this.lasting.set(subject, { id: String(from), lastAt: step.lastAt, since, isKnown, replacedAt: null, from });
      }
    }
  }

  #end(subject: string, gap: LastingGap, until: Micros): void {
    const isKnown =
      gap.isKnown || isTooLong(this.terms, gap.since, until, unknownWithin(this.unknown, gap.since, until));
    this.#store({ subject, from: gap.from, until: secondOf(until), state: isKnown ? 'gap' : 'unknown' });
    this.lasting.delete(subject);
  }

  #store(found: Found): void {
    this.#found.set(`${found.subject}#${found.from}`, found);
  }
}

/** The seconds at which the service looks, and the last of them. */
export function looksOfDay(offset: number): { looks: number[]; last: number } {
  const all = Array.from({ length: Math.floor((DAY - offset) / 60) + 1 }, (_, i) => offset + i * 60);
  const looks = all.filter((second) => second < OUTAGE.from || second >= OUTAGE.to);
  return { looks, last: looks.at(-1) ?? 0 };
}
