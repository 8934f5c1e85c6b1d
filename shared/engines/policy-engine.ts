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
  /** Whether the outcome gets an explanation. Its steps count towards the limits of the engine. */
  explain?: boolean;
}

export type PolicyOutcome =
  | { outcome: 'result'; result: EvaluationResult }
  | { outcome: 'error'; kind: ErrorKind; message: string };

/** Evaluates policies in isolation. The same run always has the same outcome, unless it exceeds the time limit. */
export interface PolicyEngine {
  readonly name: string;
  readonly version: string;
  /** The language of policies. */
  readonly language: string;
  evaluate(run: PolicyRun): Promise<ExplainedOutcome>;
}

/** `explanation` is absent if none was asked for, or if the policy was not evaluated. */
export type ExplainedOutcome = PolicyOutcome & { explanation?: Explanation };

/** Kinds of failure. Kinds that begin with `policy_` are the author's fault (rules/evaluations.md#error-kinds). */
export const ERROR_KINDS = [
  'policy_invalid',
  'policy_error',
  'policy_timeout',
  'context_error',
  'internal_error',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export const EvaluationResult = z.object({
  allow: z.boolean().describe('Whether the policy allows'),
  violations: z.array(z.string()).describe('Why the policy does not allow'),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;

const TermValues = z.array(
  z.object({
    term: z.string().meta({ description: 'A variable, a reference or a call of the policy' }),
    value: z.string().nullable().meta({ description: 'JSON text of its value; null if it is undefined' }),
  }),
);

const RuleExplanation = z
  .object({
    rule: z.string().meta({ description: 'Path of the rule: `data.policy.allow`' }),
    file: z.string().meta({ description: 'Path of the file that has the rule' }),
    line: z.int().meta({ description: 'Line of the rule' }),
    is_default: z.boolean().meta({ description: 'Whether this is the default value of the rule' }),
    runs: z.int().meta({ description: 'How many times the rule was tried' }),
    solutions: z.int().meta({ description: 'How many solutions it had' }),
    value: z
      .string()
      .nullable()
      .meta({ description: 'JSON text of its first value or member; null without a solution' }),
    values: TermValues.meta({ description: 'The operands of this value, if it is the result of an operation' }),
    stopped: z
      .object({
        line: z.int().meta({ description: 'Line of the expression' }),
        source: z.string().meta({ description: 'The line as the author wrote it' }),
        times: z.int().meta({ description: 'How many times the expression did not hold' }),
        values: TermValues.meta({ description: 'Variables, references and calls of the expression' }),
      })
      .nullable()
      .meta({ description: 'The furthest expression that did not hold, with the values at the first time' }),
  })
  .meta({ id: 'RuleExplanation' });
export type RuleExplanation = z.infer<typeof RuleExplanation>;

/** Which rules of a policy were tried, and why they held or did not (rules/evaluations.md#explanation). */
export const Explanation = z
  .object({
    rules: z.array(RuleExplanation).meta({ description: 'In the order in which they were first tried' }),
    truncated: z.boolean().meta({ description: 'Whether rules were left out because the explanation is too long' }),
  })
  .meta({ id: 'EvaluationExplanation' });
export type Explanation = z.infer<typeof Explanation>;
