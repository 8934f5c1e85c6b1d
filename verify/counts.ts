import type { ScopeRow } from './scope.ts';

/** What was counted, in the order in which it is printed. */
export type Counts = Record<string, string | number>;

/** What was verified without a fault (rules/verification.md#outcome). */
export interface Verified {
  counts: Counts;
  /** How the lines of an export stand; empty for everything else. */
  scope: readonly ScopeRow[];
  /** What is not proved, as parts of a sentence. Empty if nothing is outside. */
  exceptions: readonly string[];
}
