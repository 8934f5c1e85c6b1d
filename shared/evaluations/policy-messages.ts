import type { PolicyOutcome, PolicyRun } from '#shared/engines/policy-engine.ts';

/** What the service asks of the child process that evaluates policies. */
export type PolicyRequest = { kind: 'evaluate' } & PolicyRun;

/** What answers it. */
export interface PolicyAnswers {
  /** `fault`: of an `internal_error`, what went wrong, for the log. */
  evaluate: { outcome: PolicyOutcome; fault: string | null };
}
