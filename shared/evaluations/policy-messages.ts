import type { ExplainedOutcome, PolicyRun } from '#shared/engines/policy-engine.ts';

export type PolicyRequest = { kind: 'evaluate' } & PolicyRun;

export interface PolicyAnswers {
  /** `fault`: the cause of an `internal_error`, for the log; null for every other outcome. */
  evaluate: { outcome: ExplainedOutcome; fault: string | null };
}
