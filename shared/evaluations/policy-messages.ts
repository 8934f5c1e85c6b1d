import type { ExplainedOutcome, PolicyRun } from '#shared/engines/policy-engine.ts';

/** A request to the child process that evaluates policies. */
export type PolicyRequest = { kind: 'evaluate' } & PolicyRun;

/** The answers of the child process, by kind of request. */
export interface PolicyAnswers {
  /** `fault`: the cause of an `internal_error`, for the log; null for every other outcome. */
  evaluate: { outcome: ExplainedOutcome; fault: string | null };
}
