import * as z from 'zod';
import type { Micros } from '#shared/base/time.ts';

/** A policy with all the data that it can read. The data is JSON text, so that numbers keep all their digits. */
export interface PolicyRun {
  /** Text by path: modules and data files (rules/evaluations.md#policy-files). */
  files: Readonly<Record<string, string>>;
  /** JSON text of an object. If null, `data.params` is undefined (rules/evaluations.md#parameters). */
  params: string | null;
  input: string;
  /** The time that the policy sees (rules/evaluations.md#time-and-side-effects). */
  now: Micros;
}

export type PolicyOutcome =
  | { outcome: 'result'; result: EvaluationResult }
  | { outcome: 'error'; kind: ErrorKind; message: string };

/** Evaluates policies in isolation. The same run always has the same outcome, unless it exceeds the time limit. */
export interface PolicyEngine {
  readonly name: string;
  readonly version: string;
  evaluate(run: PolicyRun): Promise<PolicyOutcome>;
}

/** Kinds of failure. Kinds that begin with `policy_` are the author's fault (rules/evaluations.md#error-kinds). */
export const ERROR_KINDS = [
  'policy_invalid',
  'policy_error',
  'policy_timeout',
  'context_error',
  'internal_error',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export const EvaluationResult = z.object({ allow: z.boolean(), violations: z.array(z.string()) });
export type EvaluationResult = z.infer<typeof EvaluationResult>;
