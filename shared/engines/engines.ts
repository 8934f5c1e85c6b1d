/** Outcome of one jq program on one JSON document. */

import type { RuleOutcome } from '#shared/base/rule-outcome.ts';

/**
 * Engines that run what callers wrote. Each call is bounded in time, memory and output (stack.md «Decisions»); a breach
 * is an outcome for the caller, never a fault of the service.
 */
export interface Engines {
  /**
   * Compiles jq programs without running them on data.
   * @returns for each program the compiler's message, or null where it is sound
   */
  checkJq(programs: readonly string[]): Promise<(string | null)[]>;

  /**
   * Runs every program on one document.
   * @param json the document as JSON text
   */
  runJq(programs: readonly string[], json: string): Promise<RuleOutcome[]>;

  /**
   * Checks that a document is a usable JSON Schema (draft-07 unless `$schema` says otherwise; no remote references).
   * @returns null, or what is wrong with it
   */
  checkSchema(schema: unknown): Promise<string | null>;

  /**
   * Validates a document against a schema that passed {@link checkSchema}.
   * @param json the document as JSON text
   * @returns null, or the first violation with the path to it
   */
  validate(schema: unknown, json: string): Promise<string | null>;
}
