import type { Comparison, Expression, Name, Node } from './ast.ts';
import { compareDecimals, type Decimal, parseDecimal } from './decimal.ts';
import { type Position, placed } from './tokens.ts';

/** What an expression speaks of: one artifact in one of its flows, or in none (semantics §6.3.1). */
export interface ExpressionScope {
  flow: { name: string; tags: Readonly<Record<string, string>> } | null;
  artifact: { name: string; fingerprint: string };
}

/**
 * A problem is a fault of types that only the data brings to light, such as a text where a truth value is needed. The
 * caller decides what is safe then (semantics §6.4). Its text names line and column.
 */
export type ExpressionOutcome = { outcome: 'value'; value: boolean } | { outcome: 'problem'; problem: string };

/** The longest text that `matches` searches, in UTF-16 units: names of artifacts have no bound of their own. */
export const MAX_MATCHED_TEXT = 4096;

/** Pure; effort is bounded by the length of the expression and of the texts that it speaks of. */
export function evaluateExpression(expression: Expression, scope: ExpressionScope): ExpressionOutcome {
  try {
    return { outcome: 'value', value: truth(expression.root, scope) };
  } catch (error) {
    if (error instanceof Problem) return { outcome: 'problem', problem: error.message };
    throw error;
  }
}

class Problem extends Error {
  constructor(at: Position, text: string) {
    super(placed(at, text));
    this.name = 'Problem';
  }
}

type Value =
  | { kind: 'nothing' }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'string'; value: string }
  | { kind: 'number'; value: Decimal }
  | { kind: 'list'; items: readonly Node[] }
  | { kind: 'object' };

const NOTHING: Value = { kind: 'nothing' };

/** How problems call a kind of value. */
const CALLED: Record<Value['kind'], string> = {
  nothing: 'nothing',
  boolean: 'a boolean',
  string: 'a string',
  number: 'a number',
  list: 'a list',
  object: 'an object',
};

/** `and` and `or` look no further than they must, so that `exists(…) and …` guards what follows. */
function truth(node: Node, scope: ExpressionScope): boolean {
  switch (node.kind) {
    case 'and':
      return node.operands.every((operand) => truth(operand, scope));
    case 'or':
      return node.operands.some((operand) => truth(operand, scope));
    case 'not':
      return !truth(node.operand, scope);
    case 'exists':
      return resolve(node.of, scope).kind !== 'nothing';
    case 'matches':
      return matches(node, scope);
    case 'comparison':
      return compare(node, scope);
    default: {
      const value = resolve(node, scope);
      if (value.kind === 'boolean') return value.value;
      throw new Problem(node.at, `expected a boolean, found ${CALLED[value.kind]}`);
    }
  }
}

function resolve(node: Node, scope: ExpressionScope): Value {
  switch (node.kind) {
    case 'string':
      return { kind: 'string', value: node.value };
    case 'number':
      return { kind: 'number', value: node.value };
    case 'list':
      return { kind: 'list', items: node.items };
    case 'name':
      return named(node.name, scope);
    case 'tag': {
      const { tags = {} } = scope.flow ?? {};
      return text(Object.hasOwn(tags, node.key) ? tags[node.key] : undefined);
    }
    case 'boolean':
      return { kind: 'boolean', value: node.value };
    default:
      return { kind: 'boolean', value: truth(node, scope) };
  }
}

function named(name: Name, { flow, artifact }: ExpressionScope): Value {
  switch (name) {
    case 'flow':
      return flow ? { kind: 'object' } : NOTHING;
    case 'flow.name':
      return text(flow?.name);
    case 'artifact':
      return { kind: 'object' };
    case 'artifact.name':
      return text(artifact.name);
    case 'artifact.fingerprint':
      return text(artifact.fingerprint);
  }
}

const text = (value: string | undefined): Value => (value === undefined ? NOTHING : { kind: 'string', value });

/** An unanchored search (semantics §6.4). */
function matches({ input, pattern }: Node & { kind: 'matches' }, scope: ExpressionScope): boolean {
  const value = resolve(input, scope);
  if (value.kind === 'nothing') return false;
  if (value.kind !== 'string') throw new Problem(input.at, `expected a string, found ${CALLED[value.kind]}`);
  if (value.value.length > MAX_MATCHED_TEXT) {
    throw new Problem(input.at, `expected a string of at most ${MAX_MATCHED_TEXT} characters`);
  }
  return pattern.matcher(value.value).find();
}

/** With nothing on either side only `!=` is true (semantics §6.4). */
function compare({ operator, left, right }: Node & { kind: 'comparison' }, scope: ExpressionScope): boolean {
  const a = resolve(left, scope);
  const b = resolve(right, scope);
  if (a.kind === 'nothing' || b.kind === 'nothing') return operator === '!=';
  switch (operator) {
    case '==':
      return equal(a, b, right.at);
    case '!=':
      return !equal(a, b, right.at);
    case 'in':
      if (b.kind !== 'list') throw new Problem(right.at, `expected a list, found ${CALLED[b.kind]}`);
      return b.items.some((item) => isItem(a, resolve(item, scope), item.at));
    default:
      return ordered(operator, a, b, right.at);
  }
}

const isItem = (value: Value, item: Value, at: Position): boolean => item.kind !== 'nothing' && equal(value, item, at);

/**
 * Numbers take texts that read as numbers; other kinds are equal only among themselves. Values that can never be equal
 * are a problem rather than unequal, lest `flow.tags.x != true` waive a rule for everything (docs/decisions/0020).
 */
function equal(a: Value, b: Value, at: Position): boolean {
  if (a.kind === 'string' && b.kind === 'string') return a.value === b.value;
  if (a.kind === 'boolean' && b.kind === 'boolean') return a.value === b.value;
  const sides = numeric(a, b, at);
  return sides !== null && compareDecimals(...sides) === 0;
}

type Ordering = Exclude<Comparison, '==' | '!=' | 'in'>;

/** Where either side is no number, no ordering is true (semantics §6.4). */
function ordered(operator: Ordering, a: Value, b: Value, at: Position): boolean {
  const sides = numeric(a, b, at);
  if (!sides) return false;
  const order = compareDecimals(...sides);
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Both sides as numbers; null where one is a text that is none. */
function numeric(a: Value, b: Value, at: Position): [Decimal, Decimal] | null {
  const unfit = () => new Problem(at, `expected values that compare, found ${CALLED[a.kind]} and ${CALLED[b.kind]}`);
  if (a.kind !== 'string' && a.kind !== 'number') throw unfit();
  if (b.kind !== 'string' && b.kind !== 'number') throw unfit();
  const left = a.kind === 'number' ? a.value : parseDecimal(a.value);
  const right = b.kind === 'number' ? b.value : parseDecimal(b.value);
  return left && right && [left, right];
}
