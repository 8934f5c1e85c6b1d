import type { Expression } from './expression/ast.ts';
import { type ExpressionScope, evaluateExpression } from './expression/evaluate.ts';
import type { BooleanRule } from './fields.ts';

/** Where rules apply. */

/**
 * An exception whose condition is absent or cannot be evaluated waives nothing
 * (`rules/policies.md#evaluation-problems`).
 */
export const isWaived = ({ required, exceptions }: BooleanRule, scope: ExpressionScope): boolean =>
  !required || exceptions.some((exception) => exception.if !== null && isTrue(exception.if, scope, false));

/** A rule whose condition is absent or cannot be evaluated applies (`rules/policies.md#evaluation-problems`). */
export const applies = (rule: { if: Expression | null }, scope: ExpressionScope): boolean =>
  rule.if === null || isTrue(rule.if, scope, true);

export function isTrue(expression: Expression, scope: ExpressionScope, onProblem: boolean): boolean {
  const outcome = evaluateExpression(expression, scope);
  return outcome.outcome === 'value' ? outcome.value : onProblem;
}
