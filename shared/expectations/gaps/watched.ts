import type { Micros } from '#shared/base/time.ts';
import type { Write } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import type { Arrival, GapSubject } from '../rules/gaps/gap.ts';
import type { OngoingGap, SubjectArrivals } from '../rules/gaps/plan.ts';

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
  /** Reads a subject that no expectation is about any more. `subject` is its key. */
  readGone: (subject: string) => Promise<{ arrivals: readonly Micros[]; archivedAt: Micros | null }>;
}
