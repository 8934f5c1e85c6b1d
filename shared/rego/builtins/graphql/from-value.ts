import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type NameNode,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
  type ValueNode,
} from 'graphql';
import { BuiltinError } from '../../errors.ts';
import { isArray, isNumber, RegoObject, type Value } from '../../values/value.ts';
import { BLOCK_KIND, STRING_KIND, VALUE_KINDS } from './to-value.ts';

/** Builds a document of operations and fragments from the shape that `graphql.parse_query` answers with. */
export function queryDocument(shape: RegoObject): DocumentNode {
  return document([...objects(shape, 'Operations').map(operation), ...objects(shape, 'Fragments').map(fragment)]);
}

/** Builds a document of definitions from the shape that `graphql.parse_schema` answers with. */
export function schemaDocument(shape: RegoObject): DocumentNode {
  return document([
    ...objects(shape, 'Schema').map((one) => schema(one, 'SchemaDefinition')),
    ...objects(shape, 'SchemaExtension').map((one) => schema(one, 'SchemaExtension')),
    ...objects(shape, 'Directives').map(directiveDefinition),
    ...objects(shape, 'Definitions').map((one) => type(one, 'TypeDefinition')),
    ...objects(shape, 'Extensions').map((one) => type(one, 'TypeExtension')),
  ]);
}

/** A node as the parser would make it. The library checks nodes by their kind, so the shape is all that counts. */
function node<T extends ASTNode>(kind: T['kind'], members: object): T {
  // The callers give the members of the kind. A wrong one is found by the library, as in a parsed text.
  return { kind, ...members } as T;
}

const document = (definitions: readonly DefinitionNode[]) => node<DocumentNode>(Kind.DOCUMENT, { definitions });

function objects(shape: RegoObject, name: string): readonly RegoObject[] {
  return items(shape, name).map((one) => {
    if (!(one instanceof RegoObject)) throw new BuiltinError(`syntax tree: ${name} must be a list of objects`);
    return one;
  });
}

function items(shape: RegoObject, name: string): readonly Value[] {
  const list = shape.get(name) ?? null;
  if (list === null) return [];
  if (!isArray(list)) throw new BuiltinError(`syntax tree: ${name} must be a list`);
  return list;
}

function object(shape: RegoObject, name: string): RegoObject | null {
  const member = shape.get(name) ?? null;
  if (member !== null && !(member instanceof RegoObject))
    throw new BuiltinError(`syntax tree: ${name} must be an object`);
  return member;
}

function text(shape: RegoObject, name: string): string {
  const member = shape.get(name) ?? '';
  if (typeof member !== 'string') throw new BuiltinError(`syntax tree: ${name} must be a string`);
  return member;
}

const named = (value: string): NameNode => node(Kind.NAME, { value });
const nameOf = (shape: RegoObject) => ({ name: named(text(shape, 'Name')) });
const namedType = (value: string) => node(Kind.NAMED_TYPE, { name: named(value) });
const texts = (shape: RegoObject, name: string) => items(shape, name).map((one) => namedType(String(one)));

function operation(shape: RegoObject): DefinitionNode {
  const name = text(shape, 'Name');
  return node(Kind.OPERATION_DEFINITION, {
    operation: text(shape, 'Operation'),
    ...(name === '' ? {} : { name: named(name) }),
    variableDefinitions: objects(shape, 'VariableDefinitions').map(variable),
    ...directives(shape),
    selectionSet: selectionSet(shape),
  });
}

function fragment(shape: RegoObject): DefinitionNode {
  const condition = namedType(text(shape, 'TypeCondition'));
  const selection = { selectionSet: selectionSet(shape) };
  return node(Kind.FRAGMENT_DEFINITION, {
    ...nameOf(shape),
    typeCondition: condition,
    ...directives(shape),
    ...selection,
  });
}

function variable(shape: RegoObject) {
  const name = named(text(shape, 'Variable'));
  return node(Kind.VARIABLE_DEFINITION, {
    variable: node(Kind.VARIABLE, { name }),
    ...typed(shape),
    ...directives(shape),
  });
}

/** The type of a field, argument or variable, and its default value if it has one. */
function typed(shape: RegoObject): object {
  const [declared, fallback] = [object(shape, 'Type'), object(shape, 'DefaultValue')];
  if (declared === null) throw new BuiltinError('syntax tree: Type is missing');
  return { type: typeReference(declared), ...(fallback === null ? {} : { defaultValue: value(fallback) }) };
}

function typeReference(shape: RegoObject): TypeNode {
  const element = object(shape, 'Elem');
  const inner: TypeNode =
    element === null
      ? // A named type is a type, but the function that makes nodes of names has a wider result.
        (namedType(text(shape, 'NamedType')) as TypeNode)
      : node(Kind.LIST_TYPE, { type: typeReference(element) });
  return shape.get('NonNull') === true ? node(Kind.NON_NULL_TYPE, { type: inner }) : inner;
}

function directives(shape: RegoObject) {
  return {
    directives: objects(shape, 'Directives').map((one) =>
      node(Kind.DIRECTIVE, { ...nameOf(one), arguments: args(one) }),
    ),
  };
}

function args(shape: RegoObject) {
  return objects(shape, 'Arguments').map((one) =>
    node(Kind.ARGUMENT, { ...nameOf(one), value: value(object(one, 'Value')) }),
  );
}

function selectionSet(shape: RegoObject): SelectionSetNode {
  return node(Kind.SELECTION_SET, { selections: objects(shape, 'SelectionSet').map(selection) });
}

function selection(shape: RegoObject): SelectionNode {
  const below = shape.has('SelectionSet') ? { selectionSet: selectionSet(shape) } : {};
  if (shape.has('Alias')) {
    const [alias, name] = [text(shape, 'Alias'), text(shape, 'Name')];
    const renamed = alias === name ? {} : { alias: named(alias) };
    return node(Kind.FIELD, { ...renamed, ...nameOf(shape), arguments: args(shape), ...directives(shape), ...below });
  }
  if (!shape.has('TypeCondition')) return node(Kind.FRAGMENT_SPREAD, { ...nameOf(shape), ...directives(shape) });
  const condition = text(shape, 'TypeCondition');
  const typeCondition = condition === '' ? {} : { typeCondition: namedType(condition) };
  return node(Kind.INLINE_FRAGMENT, { ...typeCondition, ...directives(shape), selectionSet: selectionSet(shape) });
}

function value(shape: RegoObject | null): ValueNode {
  const kind = shape?.get('Kind');
  if (shape === null || !isNumber(kind)) throw new BuiltinError('syntax tree: a value has no kind');
  const raw = text(shape, 'Raw');
  const children = objects(shape, 'Children');
  switch (Number(kind)) {
    case VALUE_KINDS.Variable:
      return node(Kind.VARIABLE, { name: named(raw) });
    case VALUE_KINDS.IntValue:
      return node(Kind.INT, { value: raw });
    case VALUE_KINDS.FloatValue:
      return node(Kind.FLOAT, { value: raw });
    case STRING_KIND:
    case BLOCK_KIND:
      return node(Kind.STRING, { value: raw, block: Number(kind) === BLOCK_KIND });
    case VALUE_KINDS.BooleanValue:
      return node(Kind.BOOLEAN, { value: raw === 'true' });
    case VALUE_KINDS.NullValue:
      return node(Kind.NULL, {});
    case VALUE_KINDS.EnumValue:
      return node(Kind.ENUM, { value: raw });
    case VALUE_KINDS.ListValue:
      return node(Kind.LIST, { values: children.map((one) => value(object(one, 'Value'))) });
    case VALUE_KINDS.ObjectValue:
      return node(Kind.OBJECT, {
        fields: children.map((one) => node(Kind.OBJECT_FIELD, { ...nameOf(one), value: value(object(one, 'Value')) })),
      });
    default:
      throw new BuiltinError('syntax tree: a value has an unknown kind');
  }
}

function schema(shape: RegoObject, kind: 'SchemaDefinition' | 'SchemaExtension'): DefinitionNode {
  const operationTypes = objects(shape, 'OperationTypes').map((one) =>
    node(Kind.OPERATION_TYPE_DEFINITION, { operation: text(one, 'Operation'), type: namedType(text(one, 'Type')) }),
  );
  // The kind is one of the two of schemas.
  return node(kind as DefinitionNode['kind'], { ...directives(shape), operationTypes });
}

function directiveDefinition(shape: RegoObject): DefinitionNode {
  return node(Kind.DIRECTIVE_DEFINITION, {
    ...nameOf(shape),
    arguments: objects(shape, 'Arguments').map(inputValue),
    repeatable: shape.get('IsRepeatable') === true,
    locations: items(shape, 'Locations').map((one) => named(String(one))),
  });
}

const TYPES: Readonly<Record<string, string>> = {
  SCALAR: 'Scalar',
  OBJECT: 'Object',
  INTERFACE: 'Interface',
  UNION: 'Union',
  ENUM: 'Enum',
  INPUT_OBJECT: 'InputObject',
};

function type(shape: RegoObject, suffix: 'TypeDefinition' | 'TypeExtension'): DefinitionNode {
  const kind = text(shape, 'Kind');
  const name = TYPES[kind];
  if (name === undefined) throw new BuiltinError('syntax tree: a type has an unknown kind');
  // Each name of the table with either suffix is the kind of a definition.
  return node(`${name}${suffix}` as DefinitionNode['kind'], {
    ...nameOf(shape),
    ...directives(shape),
    interfaces: texts(shape, 'Interfaces'),
    fields: objects(shape, 'Fields').map(kind === 'INPUT_OBJECT' ? inputValue : field),
    types: texts(shape, 'Types'),
    values: objects(shape, 'EnumValues').map((one) =>
      node(Kind.ENUM_VALUE_DEFINITION, { ...nameOf(one), ...directives(one) }),
    ),
  });
}

function field(shape: RegoObject) {
  const args = objects(shape, 'Arguments').map(inputValue);
  return node(Kind.FIELD_DEFINITION, { ...nameOf(shape), arguments: args, ...typed(shape), ...directives(shape) });
}

function inputValue(shape: RegoObject) {
  return node(Kind.INPUT_VALUE_DEFINITION, { ...nameOf(shape), ...typed(shape), ...directives(shape) });
}
