import type { RuleOutcome } from '#shared/base/rule-outcome.ts';

/**
 * Engines that run the schemas and rules of callers. Each call is limited in time, memory and output
 * (rules/attestations.md#engine-limits). A breach of a limit is an outcome for the caller, not a fault of the service.
 */
export interface Engines {
  /**
   * Compiles jq programs without running them on data.
   * @returns for each program the compiler's message, or null if it compiles
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
