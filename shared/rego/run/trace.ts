import type { Location } from '../errors.ts';
import type { Value } from '../values/value.ts';

/** The value of a term where a clause stopped. Undefined if the term had no value. */
export interface TermValue {
  readonly term: string;
  readonly value: Value | undefined;
}

/** The literal at which a clause ended without a solution: the furthest one that was tried. */
interface Stop {
  readonly at: Location;
  /** How many times the literal did not hold. */
  readonly times: number;
  /** The values at the first of these times. */
  readonly values: readonly TermValue[];
}

/** One clause of a rule: the rule itself, or one of its `else` branches. */
export interface ClauseOfRule {
  /** The rule's path: `data.policy.allow`. */
  readonly rule: string;
  readonly isDefault: boolean;
  readonly at: Location;
}

/** What happened to one clause during an evaluation. */
export interface ClauseTrace extends ClauseOfRule {
  /** How many times the clause was tried. */
  runs: number;
  /** How many solutions it had in all runs. */
  solutions: number;
  /** The value or member of its first solution. */
  value: Value | undefined;
  /** What this value was computed from. Empty if the value is no result of a call. */
  values: readonly TermValue[];
  /** Where runs without a solution got to. Null if each run had one, or if none got to the body. */
  stop: Stop | null;
}

/**
 * Records which clauses an evaluation tried and where those without a solution stopped. The record grows with the
 * policy, not with the input: a clause has one entry, however often it runs.
 */
export class Trace {
  private readonly known = new Map<ClauseOfRule, ClauseTrace & { furthest: number }>();

  /** The clauses in the order in which they were first tried. */
  get clauses(): ClauseTrace[] {
    return [...this.known.values()].map(({ furthest: _, ...clause }) => clause);
  }

  enter(clause: ClauseOfRule): void {
    const entry = this.known.get(clause);
    if (entry) entry.runs += 1;
    else
      this.known.set(clause, {
        ...clause,
        runs: 1,
        solutions: 0,
        value: undefined,
        values: [],
        stop: null,
        furthest: -1,
      });
  }

  /**
   * Records a solution.
   * @param values called only if the values are kept
   */
  hold(clause: ClauseOfRule, value: Value, values: () => readonly TermValue[]): void {
    const entry = this.entry(clause);
    entry.solutions += 1;
    if (entry.solutions === 1) Object.assign(entry, { value, values: values() });
  }

  /**
   * Records that a literal did not hold.
   * @param index the literal's place in the order of evaluation
   * @param values called only if the values are kept
   */
  fail(clause: ClauseOfRule, index: number, at: Location, values: () => readonly TermValue[]): void {
    const entry = this.entry(clause);
    if (index < entry.furthest) return;
    if (entry.stop && index === entry.furthest) {
      entry.stop = { ...entry.stop, times: entry.stop.times + 1 };
      return;
    }
    entry.furthest = index;
    entry.stop = { at, times: 1, values: values() };
  }

  private entry(clause: ClauseOfRule): ClauseTrace & { furthest: number } {
    const entry = this.known.get(clause);
    if (!entry) throw new Error(`The clause of ${clause.rule} was not entered`);
    return entry;
  }
}
