import * as z from 'zod';
import type { Micros } from '#shared/base/time.ts';

/** A policy with all that it may see. Everything travels as JSON text, so that numbers stay as they were written. */
export interface PolicyQuestion {
  /** Path → text: modules, and files of data. */
  files: Readonly<Record<string, string>>;
  /** JSON text of an object; null = none were given, and `data.params` is undefined (semantics §8.3). */
  params: string | null;
  input: string;
  /** The only instant that the policy can know. */
  now: Micros;
}

export type PolicyOutcome =
  | { outcome: 'result'; result: EvaluationResult }
  | { outcome: 'error'; kind: ErrorKind; message: string };

/** Evaluates policies in isolation; the same question always has the same outcome, unless a limit of time breaks it. */
export interface PolicyEngine {
  readonly name: string;
  readonly version: string;
  evaluate(question: PolicyQuestion): Promise<PolicyOutcome>;
}

/** Whose fault a failure is (semantics §8.2): those that begin with `policy_` are the author's. */
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
