/** Decides on a call as IAM does, for the part of the policy language that our templates use (docs/iam.md). */

/** A statement of a policy. Actions, resources and values may contain the wildcards `*` and `?`. */
export interface Statement {
  effect: 'Allow' | 'Deny';
  actions: readonly string[];
  resources: readonly string[];
  conditions: readonly Condition[];
}

/** One condition. Its values are alternatives. */
export interface Condition {
  /** Operator with its prefix: `ForAllValues:StringLike`. */
  operator: string;
  /** Condition key: `dynamodb:LeadingKeys`. */
  key: string;
  values: readonly string[];
}

/** One right that a call needs. */
export interface Access {
  /** `dynamodb:PutItem` */
  action: string;
  /** ARN without wildcards. */
  resource: string;
  /** The condition keys that this call has, each with a function that returns the values; no value means that the key is absent. */
  context: Readonly<Record<string, () => readonly string[]>>;
}

type Verdict = 'allowed' | 'explicitly denied' | 'not allowed';

/** A condition that the evaluator has no meaning for. The call must then be refused. */
export class UnknownCondition extends Error {}

/**
 * Evaluates the statements of all policies that apply to a call. A matching denial wins over every allowance. Without an
 * allowance the call is refused.
 *
 * @throws UnknownCondition if a statement that matches action and resource has an unknown operator or condition key
 */
export function evaluate(statements: readonly Statement[], access: Access): Verdict {
  const applying = statements.filter((statement) => applies(statement, access));
  if (applying.some(({ effect }) => effect === 'Deny')) return 'explicitly denied';
  return applying.some(({ effect }) => effect === 'Allow') ? 'allowed' : 'not allowed';
}

function applies({ actions, resources, conditions }: Statement, { action, resource, context }: Access): boolean {
  return (
    actions.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => matches(pattern, resource)) &&
    conditions.map((condition) => holds(condition, context)).every(Boolean)
  );
}

/** Compares a value of a call with a value of a policy. */
type Comparison = (given: string, value: string) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: (given, value) => given === value,
  StringLike: (given, value) => matches(value, given),
  Bool: (given, value) => given.toLowerCase() === value.toLowerCase(),
  NumericLessThan: (given, value) => Number(given) < Number(value),
};

/** Condition keys that have several values. IAM asks for a set operator with them. */
const LISTS: ReadonlySet<string> = new Set(['dynamodb:LeadingKeys', 'dynamodb:Attributes']);

/** @throws UnknownCondition */
function holds({ operator, key, values }: Condition, context: Access['context']): boolean {
  const [set, name] = operator.includes(':') ? operator.split(':', 2) : ['', operator];
  const compare = COMPARISONS[name ?? ''];
  if (!compare || values.some((value) => value.includes('${'))) {
    throw new UnknownCondition(`The local stack does not know the condition ${operator} ${values.join(', ')}.`);
  }
  const read = Object.hasOwn(context, key) ? context[key] : undefined;
  if (!read) throw new UnknownCondition(`The local stack does not know the condition key ${key} for this call.`);
  if (LISTS.has(key) !== (set !== '')) {
    throw new UnknownCondition(`The condition key ${key} does not go with the operator ${operator}.`);
  }
  const isAllowed = (given: string) => values.some((value) => compare(given, value));
  const given = read();
  switch (set) {
    // Holds for an absent key, as in IAM.
    case 'ForAllValues':
      return given.every(isAllowed);
    case 'ForAnyValue':
    case '':
      return given.some(isAllowed);
    default:
      throw new UnknownCondition(`The local stack does not know the set operator ${set}.`);
  }
}

/** Expressions of wildcard patterns. The templates contain a few hundred patterns, and each call meets some of them. */
const expressions = new Map<string, RegExp>();

/** Compares a text with a pattern in which `*` stands for any characters and `?` for one. */
function matches(pattern: string, text: string): boolean {
  let expression = expressions.get(pattern);
  if (!expression) {
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
    expression = new RegExp(`^${escaped.replaceAll('?', '.').replaceAll('*', '.*')}$`, 's');
    expressions.set(pattern, expression);
  }
  return expression.test(text);
}
