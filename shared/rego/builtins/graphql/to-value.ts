import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type OperationTypeDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type StringValueNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  type TypeNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';

/** A part of a syntax tree in the shape that OPA answers with. Lists without elements are left out. */
type Shape = Readonly<Record<string, unknown>>;

/** The numbers of the kinds of values. The two kinds of strings are 3 and 4. */
export const VALUE_KINDS = {
  Variable: 0,
  IntValue: 1,
  FloatValue: 2,
  BooleanValue: 5,
  NullValue: 6,
  EnumValue: 7,
  ListValue: 8,
  ObjectValue: 9,
} as const;
export const STRING_KIND = 3;
export const BLOCK_KIND = 4;

/** The names of the kinds of types, by the first word of the node's kind. */
const TYPE_KINDS: Readonly<Record<string, string>> = {
  Scalar: 'SCALAR',
  Object: 'OBJECT',
  Interface: 'INTERFACE',
  Union: 'UNION',
  Enum: 'ENUM',
  InputObject: 'INPUT_OBJECT',
};

/** Turns a document of operations and fragments into OPA's shape. */
export function queryShape({ definitions }: DocumentNode): Shape {
  const operations = definitions.flatMap((one) => {
    if (one.kind !== 'OperationDefinition') return [];
    return {
      Operation: one.operation,
      Name: one.name?.value ?? '',
      ...list('VariableDefinitions', one.variableDefinitions, variable),
      ...directives(one.directives),
      ...selections(one.selectionSet),
    };
  });
  const fragments = definitions.flatMap((one) => {
    if (one.kind !== 'FragmentDefinition') return [];
    return {
      Name: one.name.value,
      TypeCondition: one.typeCondition.name.value,
      ...list('VariableDefinition', one.variableDefinitions, variable),
      ...directives(one.directives),
      ...selections(one.selectionSet),
    };
  });
  return { ...list('Operations', operations), ...list('Fragments', fragments) };
}

/** Turns a document of definitions into OPA's shape. */
export function schemaShape({ definitions }: DocumentNode): Shape {
  const schema = (kind: string) =>
    definitions.flatMap((one) => {
      if (one.kind !== kind || (one.kind !== 'SchemaDefinition' && one.kind !== 'SchemaExtension')) return [];
      return {
        Description: one.kind === 'SchemaDefinition' ? text(one.description) : '',
        ...directives(one.directives),
        ...list('OperationTypes', one.operationTypes, operationType),
      };
    });
  const types = (suffix: string) => definitions.filter(({ kind }) => kind.endsWith(suffix)).flatMap(typeShape);
  return {
    ...list('Schema', schema('SchemaDefinition')),
    ...list('SchemaExtension', schema('SchemaExtension')),
    ...list('Directives', definitions, directiveDefinition),
    ...list('Definitions', types('TypeDefinition')),
    ...list('Extensions', types('TypeExtension')),
  };
}

const same = (shape: unknown) => shape;

/** One member of a shape: a list, unless it is empty. */
function list<T>(name: string, items: readonly T[] | undefined, shape: (item: T) => unknown = same): Shape {
  const shapes = (items ?? []).flatMap((item) => shape(item));
  return shapes.length === 0 ? {} : { [name]: shapes };
}

const text = (description: StringValueNode | undefined) => description?.value ?? '';

function directiveDefinition(one: DefinitionNode): Shape | [] {
  if (one.kind !== 'DirectiveDefinition') return [];
  return {
    Description: text(one.description),
    Name: one.name.value,
    ...list('Arguments', one.arguments, inputValue),
    ...list('Locations', one.locations, ({ value }) => value),
    IsRepeatable: one.repeatable,
  };
}

function operationType({ operation, type }: OperationTypeDefinitionNode): Shape {
  return { Operation: operation, Type: type.name.value };
}

function typeShape(definition: DefinitionNode): Shape {
  // The caller selects definitions and extensions of types by the end of their kind.
  const one = definition as TypeDefinitionNode | TypeExtensionNode;
  const name = one.kind.replace(/Type(Definition|Extension)$/, '');
  return {
    Kind: TYPE_KINDS[name],
    Description: 'description' in one ? text(one.description) : '',
    Name: one.name.value,
    BuiltIn: false,
    ...directives(one.directives),
    ...('interfaces' in one ? list('Interfaces', one.interfaces, (other) => other.name.value) : {}),
    ...('fields' in one ? list<FieldDefinitionNode | InputValueDefinitionNode>('Fields', one.fields, field) : {}),
    ...('types' in one ? list('Types', one.types, (other) => other.name.value) : {}),
    ...('values' in one
      ? list('EnumValues', one.values, (value) => [
          { Description: text(value.description), Name: value.name.value, ...directives(value.directives) },
        ])
      : {}),
  };
}

function field(one: FieldDefinitionNode | InputValueDefinitionNode): Shape {
  if (one.kind === 'InputValueDefinition') return inputValue(one);
  return {
    Description: text(one.description),
    Name: one.name.value,
    ...list('Arguments', one.arguments, inputValue),
    Type: typeReference(one.type),
    ...directives(one.directives),
  };
}

function inputValue(one: InputValueDefinitionNode): Shape {
  return {
    Description: text(one.description),
    Name: one.name.value,
    ...(one.defaultValue === undefined ? {} : { DefaultValue: value(one.defaultValue) }),
    Type: typeReference(one.type),
    ...directives(one.directives),
  };
}

function typeReference(type: TypeNode): Shape {
  const nonNull = type.kind === 'NonNullType';
  const inner = nonNull ? type.type : type;
  if (inner.kind === 'NamedType') return { NamedType: inner.name.value, NonNull: nonNull };
  return { NamedType: '', Elem: typeReference(inner.type), NonNull: nonNull };
}

function variable(one: VariableDefinitionNode): Shape {
  return {
    Variable: one.variable.name.value,
    Type: typeReference(one.type),
    ...(one.defaultValue === undefined ? {} : { DefaultValue: value(one.defaultValue) }),
    ...directives(one.directives),
    Used: false,
  };
}

function directives(all: readonly (DirectiveNode | ConstDirectiveNode)[] | undefined): Shape {
  return list('Directives', all, (one) => ({ Name: one.name.value, ...args(one.arguments), Location: '' }));
}

function args(all: DirectiveNode['arguments']): Shape {
  return list('Arguments', all, (one) => ({ Name: one.name.value, Value: value(one.value) }));
}

function selections(set: SelectionSetNode | undefined): Shape {
  return list('SelectionSet', set?.selections, selection);
}

function selection(one: SelectionNode): Shape {
  switch (one.kind) {
    case Kind.FIELD: {
      const shape = { Alias: one.alias?.value ?? one.name.value, Name: one.name.value };
      return { ...shape, ...args(one.arguments), ...directives(one.directives), ...selections(one.selectionSet) };
    }
    case Kind.FRAGMENT_SPREAD:
      return { Name: one.name.value, ...directives(one.directives) };
    case Kind.INLINE_FRAGMENT: {
      const condition = one.typeCondition?.name.value ?? '';
      return { TypeCondition: condition, ...directives(one.directives), ...selections(one.selectionSet) };
    }
  }
}

function value(node: ValueNode): Shape {
  const shape = (kind: number, raw: string, children: readonly Shape[] = []) => ({
    Raw: raw,
    ...list('Children', children),
    Kind: kind,
    ExpectedTypeHasDefault: false,
  });
  switch (node.kind) {
    case 'StringValue':
      return shape(node.block === true ? BLOCK_KIND : STRING_KIND, node.value);
    case 'Variable':
      return shape(VALUE_KINDS.Variable, node.name.value);
    case 'NullValue':
      return shape(VALUE_KINDS.NullValue, 'null');
    case 'ListValue':
      return shape(
        VALUE_KINDS.ListValue,
        '',
        node.values.map((one) => ({ Name: '', Value: value(one) })),
      );
    case 'ObjectValue':
      return shape(
        VALUE_KINDS.ObjectValue,
        '',
        node.fields.map((one) => ({ Name: one.name.value, Value: value(one.value) })),
      );
    default:
      return shape(VALUE_KINDS[node.kind], String(node.value));
  }
}
