import type { DocumentNode, SchemaNode } from './descriptions.ts';

/**
 * Says what generators of clients take for types in words that they leave alone (rules/requests.md#generated-clients). Every document is
 * accepted and refused as before. Changes the document.
 *
 * - A schema with `properties` can have forms in `anyOf` that only constrain these properties. Generators make a type of each form. `if`
 *   and `else` say the same, and no generator makes types of them.
 * - A number that is no integer is a double: languages with several kinds of numbers would take the smallest one, which cannot hold an
 *   instant.
 * - A value of several types has a list of types. Generators know a list of one type and null, and otherwise a form for each type.
 */
export function sayPlainForms({ components, paths }: DocumentNode): void {
  eachSchema(components?.schemas, mend);
  eachSchema(paths, mend);
}

/** Members of a form that constrains the schema around it. Any other member makes the form a type of its own. */
const CONSTRAINING = new Set(['properties', 'required', 'maxProperties']);

const constrains = (form: SchemaNode): boolean => Object.keys(form).every((keyword) => CONSTRAINING.has(keyword));

function mend(schema: SchemaNode): void {
  const { properties, type } = schema;
  // The library writes forms as a list of schemas.
  const forms = schema['anyOf'] as SchemaNode[] | undefined;
  if (properties !== undefined && forms?.every(constrains)) {
    delete schema['anyOf'];
    Object.assign(schema, eitherOf(forms));
  }
  if (isNumber(type)) schema['format'] ??= 'double';
  if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) {
    delete schema['type'];
    schema['anyOf'] = type.map((one) => ({ type: one, ...(one === 'number' && { format: 'double' }) }));
  }
}

const isNumber = (type: unknown): boolean =>
  type === 'number' || (Array.isArray(type) && type.length === 2 && type.includes('number') && type.includes('null'));

/** The first form, or else one of the others. */
function eitherOf([first = {}, ...others]: readonly SchemaNode[]): SchemaNode {
  return others.length === 0 ? first : { if: first, else: eitherOf(others) };
}

/** Keywords whose values are data, or forms that no generator reads. */
const LEFT_ALONE = new Set(['examples', 'example', 'default', 'enum', 'const', 'links', 'if', 'else']);

/** Calls `see` for each object of a document that can be a schema, at any depth, the outer ones first. */
function eachSchema(node: unknown, see: (schema: SchemaNode) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) eachSchema(item, see);
    return;
  }
  // Members of other objects of the document look like no schema, so nothing of them is mended.
  const schema = node as SchemaNode;
  see(schema);
  const { properties = {}, ...others } = schema;
  // A property may have the name of a keyword.
  for (const property of Object.values(properties)) eachSchema(property, see);
  for (const [keyword, value] of Object.entries(others)) if (!LEFT_ALONE.has(keyword)) eachSchema(value, see);
}
