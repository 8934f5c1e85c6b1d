import { RegoError } from './errors.ts';

/** Limits of one run. Each is an upper bound that may be reached and not passed. */
export interface Limits {
  /** Expressions tried, elements visited and units of work inside built-ins. */
  readonly steps: number;
  /** Rules and functions waiting for each other. */
  readonly depth: number;
  /** Elements of one array, object or set that the run builds. */
  readonly collection: number;
  /** UTF-16 code units of one string that the run builds. */
  readonly string: number;
  /** Weight of one value that the run builds: its parts, shared ones counted as often as they appear. */
  readonly weight: number;
  /** Levels of nesting of one value. */
  readonly nesting: number;
}

/** What a caller gets that names no limit. */
export const DEFAULT_LIMITS: Limits = {
  steps: 20_000_000,
  depth: 500,
  collection: 1_000_000,
  string: 16_777_216,
  weight: 10_000_000,
  nesting: 500,
};

/** Characters of work that count as one step inside built-ins that read or write long strings. */
const CHARACTERS_PER_STEP = 64;

/** Counts what a run uses; every method throws a `budget` error once its limit is passed. */
export class Budget {
  readonly limits: Limits;
  private stepsLeft: number;
  private depth = 0;

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.stepsLeft = this.limits.steps;
  }

  /** @param count units of work about to be done */
  spend(count = 1): void {
    this.stepsLeft -= count;
    if (this.stepsLeft < 0) throw exceeded('steps', this.limits.steps);
  }

  /** Announces a string about to be built, and counts the work of it. */
  string(length: number): void {
    if (length > this.limits.string) throw exceeded('string size', this.limits.string);
    this.spend(Math.ceil(length / CHARACTERS_PER_STEP));
  }

  /** Announces a collection about to have `size` elements; the work is counted where they are made. */
  collection(size: number): void {
    if (size > this.limits.collection) throw exceeded('collection size', this.limits.collection);
  }

  /** Announces a value that was put together of others. */
  weight(weight: number): void {
    if (weight > this.limits.weight) throw exceeded('value size', this.limits.weight);
  }

  /** A rule or function begins; to be paired with {@link leave} unless it throws, which ends the run. */
  enter(): void {
    this.depth += 1;
    if (this.depth > this.limits.depth) throw exceeded('call depth', this.limits.depth);
  }

  leave(): void {
    this.depth -= 1;
  }

  /** @param levels how deep a value is nested */
  nesting(levels: number): void {
    if (levels > this.limits.nesting) throw exceeded('nesting', this.limits.nesting);
  }
}

function exceeded(what: string, limit: number): RegoError {
  return new RegoError('budget', `${what} budget of ${limit} exceeded`);
}
