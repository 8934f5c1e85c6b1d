import { RegoError } from './errors.ts';

/** Limits of one evaluation. Each is the largest allowed value. */
export interface Limits {
  /** Expressions tried, elements visited and units of work inside built-in functions. */
  readonly steps: number;
  /** Rules and functions that call each other, one inside the other. */
  readonly depth: number;
  /** Elements of one array, object or set that the evaluation builds. */
  readonly collection: number;
  /** UTF-16 code units of one string that the evaluation builds. */
  readonly string: number;
  /** Weight of one value that the evaluation builds: the number of its parts. A shared part counts at each place. */
  readonly weight: number;
  /** Levels of nesting of one value. */
  readonly nesting: number;
}

/** The limits of an evaluation that states none. */
const DEFAULT_LIMITS: Limits = {
  steps: 20_000_000,
  depth: 500,
  collection: 1_000_000,
  string: 16_777_216,
  weight: 10_000_000,
  nesting: 500,
};

/** Characters that a built-in function processes per step. */
const CHARACTERS_PER_STEP = 64;

/** Counts what an evaluation uses. Every method throws a `budget` error beyond its limit. */
export class Budget {
  readonly limits: Limits;
  private stepsLeft: number;
  private depth = 0;

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.stepsLeft = this.limits.steps;
  }

  /** @param count units of work that follow */
  spend(count = 1): void {
    this.stepsLeft -= count;
    if (this.stepsLeft < 0) throw exceeded('steps', this.limits.steps);
  }

  /** Checks the length of a string before it is built, and counts the work. */
  string(length: number): void {
    if (length > this.limits.string) throw exceeded('string size', this.limits.string);
    this.spend(Math.ceil(length / CHARACTERS_PER_STEP));
  }

  /** Checks the size of a collection before it is built. The work is counted where the elements are built. */
  collection(size: number): void {
    if (size > this.limits.collection) throw exceeded('collection size', this.limits.collection);
  }

  /** Checks the weight of a value that was built from other values. */
  weight(weight: number): void {
    if (weight > this.limits.weight) throw exceeded('value size', this.limits.weight);
  }

  /** Starts a rule or function. The caller calls {@link leave} at the end, unless an error ends the evaluation. */
  enter(): void {
    this.depth += 1;
    if (this.depth > this.limits.depth) throw exceeded('call depth', this.limits.depth);
  }

  leave(): void {
    this.depth -= 1;
  }

  /** @param levels depth of a value's nesting */
  nesting(levels: number): void {
    if (levels > this.limits.nesting) throw exceeded('nesting', this.limits.nesting);
  }
}

function exceeded(what: string, limit: number): RegoError {
  return new RegoError('budget', `${what} budget of ${limit} exceeded`);
}
