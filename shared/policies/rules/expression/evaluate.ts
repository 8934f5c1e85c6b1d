import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { ProvenStatement } from '#shared/evidence/rules/slot-proof.ts';
import type { Comparison, Expression, Name, Node, STATEMENT_FIELDS } from './ast.ts';
import { compareDecimals, type Decimal, parseDecimal } from './decimal.ts';
import { type Position, placed } from './tokens.ts';

/**
 * The values that an expression can read: one artifact, and one of its flows if it has one
 * (`rules/policies.md#contexts`).
 */
export interface ExpressionScope {
  flow: { name: string; tags: Readonly<Record<string, string>> } | null;
  artifact: { name: string; fingerprint: string };
  /** Who reported, as an issuer proved it. Only expressions of `reported_by` read it. */
  identity?: ProvenOrigin | undefined;
  /** What was signed. Only expressions of `reported_by` in attestation rules read it. */
  statement?: ProvenStatement | undefined;
}

/**
 * The result of an evaluation. A problem is a type error that depends on the data, such as a text where a boolean is
 * needed. The caller decides what follows from it (`rules/policies.md#evaluation-problems`). Its text has line and
 * column.
 */
type ExpressionOutcome = { outcome: 'value'; value: boolean } | { outcome: 'problem'; problem: string };

/** The longest text that `matches` searches, in UTF-16 units. Names of artifacts have no limit of their own. */
export const MAX_MATCHED_TEXT = 4096;

/** Evaluates an expression. The work is limited by the length of the expression and of the texts that it reads. */
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

/** Names of the kinds of values in problems. */
const KIND_NAMES: Record<Value['kind'], string> = {
  nothing: 'nothing',
  boolean: 'a boolean',
  string: 'a string',
  number: 'a number',
  list: 'a list',
  object: 'an object',
};

/** `and` and `or` stop at the first operand that decides, so that `exists(…) and …` guards the operands after it. */
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
      throw new Problem(node.at, `expected a boolean, found ${KIND_NAMES[value.kind]}`);
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
    case 'identity':
      if (node.field === null) return scope.identity ? { kind: 'object' } : NOTHING;
      return text(scope.identity?.[node.field]);
    case 'claim': {
      const { claims = {} } = scope.identity ?? {};
      return text(Object.hasOwn(claims, node.key) ? claims[node.key] : undefined);
    }
    case 'statement':
      if (node.field === null) return scope.statement ? { kind: 'object' } : NOTHING;
      return text(statedIn(scope.statement, node.field));
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

function statedIn(
  statement: ProvenStatement | undefined,
  field: (typeof STATEMENT_FIELDS)[number],
): string | undefined {
  switch (field) {
    case 'predicate_type':
      return statement?.predicate_type;
    case 'builder.id':
      return statement?.builder?.id;
    case 'source.ref':
      return statement?.source?.ref;
    case 'source.uri':
      return statement?.source?.uri;
    case 'source.commit':
      return statement?.source?.commit;
  }
}

const text = (value: string | undefined): Value => (value === undefined ? NOTHING : { kind: 'string', value });

/** Searches for the pattern anywhere in the text (`rules/policies.md#patterns`). */
function matches({ input, pattern }: Node & { kind: 'matches' }, scope: ExpressionScope): boolean {
  const value = resolve(input, scope);
  if (value.kind === 'nothing') return false;
  if (value.kind !== 'string') throw new Problem(input.at, `expected a string, found ${KIND_NAMES[value.kind]}`);
  if (value.value.length > MAX_MATCHED_TEXT) {
    throw new Problem(input.at, `expected a string of at most ${MAX_MATCHED_TEXT} characters`);
  }
  return pattern.matcher(value.value).find();
}

/** Compares two values. If one side has no value, only `!=` is true (`rules/policies.md#missing-values`). */
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
      if (b.kind !== 'list') throw new Problem(right.at, `expected a list, found ${KIND_NAMES[b.kind]}`);
      return b.items.some((item) => isItem(a, resolve(item, scope), item.at));
    default:
      return ordered(operator, a, b, right.at);
  }
}

const isItem = (value: Value, item: Value, at: Position): boolean => item.kind !== 'nothing' && equal(value, item, at);

/**
 * Says whether two values are equal (`rules/policies.md#values`). A number can equal a text that reads as a number.
 * Kinds that can never be equal are a problem and not unequal. Otherwise `flow.tags.x != true` would waive a rule
 * always.
 */
function equal(a: Value, b: Value, at: Position): boolean {
  if (a.kind === 'string' && b.kind === 'string') return a.value === b.value;
  if (a.kind === 'boolean' && b.kind === 'boolean') return a.value === b.value;
  const sides = numeric(a, b, at);
  return sides !== null && compareDecimals(...sides) === 0;
}

type Ordering = Exclude<Comparison, '==' | '!=' | 'in'>;

/** Orders two values. If one side is a text that is no number, no ordering is true (`rules/policies.md#values`). */
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

/** Reads both sides as numbers; null if one side is a text that is no number. @throws Problem for other kinds */
function numeric(a: Value, b: Value, at: Position): [Decimal, Decimal] | null {
  const unfit = () =>
    new Problem(at, `expected values that compare, found ${KIND_NAMES[a.kind]} and ${KIND_NAMES[b.kind]}`);
  if (a.kind !== 'string' && a.kind !== 'number') throw unfit();
  if (b.kind !== 'string' && b.kind !== 'number') throw unfit();
  const left = a.kind === 'number' ? a.value : parseDecimal(a.value);
  const right = b.kind === 'number' ? b.value : parseDecimal(b.value);
  return left && right && [left, right];
}
