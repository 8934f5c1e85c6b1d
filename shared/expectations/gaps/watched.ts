import type { Id } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import type { Write } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import type { Arrival, GapSubject } from '../rules/gaps/gap.ts';
import type { OngoingGap, SubjectArrivals } from '../rules/gaps/plan.ts';
import { dueOf } from '../rules/gaps/silence.ts';

/** A subject of expectations, as a look found it. */
export interface Watched extends SubjectArrivals {
  subject: GapSubject;
  /** Returns how a gap names an arrival, after the reads that this costs. */
  readArrivals: () => Promise<(at: Micros) => Arrival | null>;
  /** Returns the writes that refuse a new gap with `arrived` if something came since the subject was read. */
  guard: (gap: string) => Write<'arrived'>[];
  /** Reads the subject again; null if it is none any more. */
  again: () => Promise<Watched | null>;
  /** Returns the write that makes the next arrival end a lasting gap, if it was lost; null if nothing is missing. */
  mend?: (gap: OngoingGap) => Write<'arrived'> | null;
}

/** The subjects of expectations of one group of kinds. */
export interface Watch {
  /** The subjects of an expectation. */
  of: (expectation: Expectation) => Watched[];
  /** Reads a subject that no expectation is about any more. `subject` is its key, `gap` the id of its gap. */
  readGone: (subject: string, gap: Id) => Promise<{ arrivals: readonly Micros[]; archivedAt: Micros | null }>;
}

/** Something that has to become as it has to be once after its beginning: a trail, or an artifact that started. */
export interface Beginning {
  begun: Micros;
}

/** What began in the scopes of expectations of one kind. */
export interface Beginnings<B extends Beginning> extends Pick<Watch, 'readGone'> {
  /**
   * Reads what began from an instant on, the oldest first, in portions. If the scope has tags, also what began outside of it: until
   * that is due, the tags may have changed.
   */
  begunFrom: (expectation: Expectation, from: Micros) => AsyncIterable<readonly B[]>;
  /** Reads the subjects among beginnings that are due. Leaves out those that were met in time, or are not in the scope. */
  watch: (expectation: Expectation, due: readonly B[]) => Promise<Watched[]>;
  /** Whether the subject of a gap is in the scope. */
  isIn: (expectation: Expectation, subject: string) => boolean;
  /** Reads the subject of a gap as it is now. Null if the gap cannot be read. */
  again: (gap: Id) => Promise<Watched | null>;
}

/** Entries of the first portion of a look, which is usually the only one. */
const FEW = 100;

/**
 * Reads entries from an id on, the oldest first, month by month, in portions that are not empty.
 *
 * @param most entries of each portion but the first one
 * @param read reads the oldest entries of a month from an id on
 */
export async function* portionsFrom<E extends { entry: Id }>(
  months: readonly string[],
  from: Id,
  most: number,
  read: (month: string, from: Id, limit: number) => Promise<E[]>,
): AsyncGenerator<E[]> {
  let limit = FEW;
  for (const month of months) {
    let next: Id | null = from;
    while (next !== null) {
      const entries: E[] = await read(month, next, limit);
      if (entries.length > 0) yield entries;
      const last = entries.at(-1);
      // The zero makes the smallest key behind the last entry.
      next = last && entries.length === limit ? `${last.entry}\0` : null;
      limit = most;
    }
  }
}

/** Returns the beginnings that were not met in time. `mets` says of each when it was met, if it was. */
export function lateOnes<B extends Beginning>(
  expectation: Expectation,
  due: readonly B[],
  mets: readonly (Micros | null | undefined)[],
): (B & { met: Micros | null })[] {
  return due.flatMap((one, i) => {
    const met = mets[i] ?? null;
    return met !== null && met <= dueOf(expectation, one.begun) ? [] : [{ ...one, met }];
  });
}

/** A subject that began, and that was met at an instant or never. No gap of it names what met it: it is the subject itself. */
export const watchedOnce = (
  subject: GapSubject,
  { begun, met }: { begun: Micros; met: Micros | null },
  { guard, again }: Pick<Watched, 'guard' | 'again'>,
): Watched => ({
  subject,
  created: begun,
  arrivals: met === null ? [] : [met],
  isOnce: true,
  readArrivals: async () => (at) => (at === EPOCH ? null : { at, shown: null }),
  guard,
  again,
});
