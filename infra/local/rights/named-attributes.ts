/** An item or a key in the form of the database: `{"pk": {"S": "…"}}`. */
export type Attributes = Record<string, { S?: string }>;

/** One operation on items of a table, or an entry of a batch or of a transaction. */
export interface Operation {
  TableName?: string;
  IndexName?: string;
  Key?: Attributes;
  Keys?: Attributes[];
  Item?: Attributes;
  [member: string]: unknown;
}

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
  // The API of DynamoDB says the type of the field.
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
