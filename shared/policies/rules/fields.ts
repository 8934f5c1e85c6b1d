import * as z from 'zod';
import { withInput } from '#shared/base/validation.ts';
import { SignerName } from '#shared/signers/rules/records.ts';
import type { Expression } from './expression/ast.ts';
import { parseExpression } from './expression/parse.ts';
import { ExpressionError } from './expression/tokens.ts';

/** Parts of a policy file that several rules have (rules/policies.md#policy-file). */

/** A rule that is required or not. An exception without an expression waives nothing. */
export interface BooleanRule {
  required: boolean;
  exceptions: { if: Expression | null }[];
}

/** The most exceptions of one rule. */
export const MAX_EXCEPTIONS = 100;

/** The most signers that one rule names. */
export const MAX_SIGNERS = 20;

/** An expression: a string, or an object with `text` as answers show it. Other keys of the object are ignored. */
const condition = (options: { identity?: boolean; statement?: boolean } = {}) =>
  z
    .union([z.string(), z.looseObject({ text: z.string() })])
    .transform((given, { addIssue }): Expression => {
      const [source, path] = typeof given === 'string' ? [given, []] : [given.text, ['text']];
      try {
        return parseExpression(source, options);
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        addIssue({ code: 'custom', message: withInput(error.message, source), path, input: given });
        return z.NEVER;
      }
    })
    .nullable()
    .default(null);
export const Condition = condition();
export const ReportedBy = condition({ identity: true });
export const AttestedBy = condition({ identity: true, statement: true });

/** One name of a signer, or several of which one is enough. The signers need not exist. */
export const SignedBy = z
  .unknown()
  .transform((given) => (typeof given === 'string' ? [given] : given))
  .pipe(z.array(SignerName).min(1).max(MAX_SIGNERS).nullable());

export const BooleanRuleIn = z.strictObject({
  required: z.boolean().default(false),
  exceptions: z
    .array(z.strictObject({ if: Condition }))
    .max(MAX_EXCEPTIONS)
    .default(() => []),
});

export const noRule = () => ({ required: false, exceptions: [] });
