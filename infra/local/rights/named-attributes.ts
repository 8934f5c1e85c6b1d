import type { Operation } from './database-calls.ts';

const EXPRESSIONS = [
  'KeyConditionExpression',
  'FilterExpression',
  'ConditionExpression',
  'UpdateExpression',
  'ProjectionExpression',
];

const KEYWORDS = new Set(['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'SET', 'REMOVE', 'ADD', 'DELETE']);

/**
 * Returns the names of all attributes that an operation of the database names: in its keys, in its item and in its
 * expressions, for the condition key `dynamodb:Attributes`. Of a path (`a.b[0]`) only the attribute counts.
 */
export function namedAttributes(input: Operation): string[] {
  const { Key = {}, Keys = [], Item = {} } = input;
  const written = [Key, Item, ...Keys].flatMap((item) => Object.keys(item));
  const aliases = (input['ExpressionAttributeNames'] ?? {}) as Record<string, string>;
  const inExpressions = EXPRESSIONS.flatMap((member) => {
    const expression = input[member];
    return typeof expression === 'string' ? namesIn(expression, aliases) : [];
  });
  return [...new Set([...written, ...inExpressions])];
}

/** A name begins neither after a dot (part of a path) nor after a colon (a value), and no parenthesis follows (a function). */
const namesIn = (expression: string, aliases: Record<string, string>): string[] =>
  [...expression.matchAll(/(?<![\w.:#])#?[A-Za-z_]\w*(?![\w]|\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !KEYWORDS.has(name.toUpperCase()))
    .map((name) => aliases[name] ?? name);
