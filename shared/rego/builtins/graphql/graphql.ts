import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  introspectionTypes,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  isTypeSystemDefinitionNode,
  isTypeSystemExtensionNode,
  Kind,
  Lexer,
  parse,
  Source,
  specifiedScalarTypes,
  TokenKind,
  validate,
  validateSchema,
  visit,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { fromPlain } from '../../values/plain.ts';
import { RegoObject, type Value, weightOf } from '../../values/value.ts';
import { type Args, accepts, operandError, refusing, stringAt } from '../operands.ts';
import { type Builtin, theme } from '../registry.ts';
import { queryDocument, schemaDocument } from './from-value.ts';
import { queryShape, schemaShape } from './to-value.ts';

/** The types that every schema has. */
const OWN_TYPES = new Set([...specifiedScalarTypes, ...introspectionTypes].map(({ name }) => name));

const EITHER = ['string|object', 'string|object'];

const isValid = accepts(parseBoth);

/** GraphQL: parsing of queries and schemas, and checking of queries against schemas. Nothing is executed. */
export const GRAPHQL: readonly Builtin[] = theme('graphql', [
  ['graphql.parse_query', ['string'], 'object', (args, run) => shapeOf(queryAt([stringAt(args, 0)], run), queryShape)],
  [
    'graphql.parse_schema',
    ['string'],
    'object',
    (args, run) => shapeOf(schemaAt([stringAt(args, 0)], 0, run), schemaShape),
  ],
  ['graphql.parse', EITHER, 'array', parseBoth],
  [
    'graphql.parse_and_verify',
    EITHER,
    'array',
    (args, run) => (isValid(args, run) ? [true, ...parseBoth(args, run)] : [false, new RegoObject(), new RegoObject()]),
  ],
  ['graphql.is_valid', EITHER, 'boolean', isValid],
  [
    'graphql.schema_is_valid',
    ['string|object'],
    'boolean',
    accepts((args, run) => validSchema(schemaAt(args, 0, run), run)),
  ],
]);

/** Parses both operands. @throws BuiltinError also for a query that does not fit the schema */
function parseBoth(args: Args, run: Run): readonly [Value, Value] {
  const schema = schemaAt(args, 1, run);
  const query = queryAt(args, run);
  checkQuery(validSchema(schema, run), query, run);
  return [shapeOf(query, queryShape), shapeOf(schema, schemaShape)];
}

function shapeOf(document: DocumentNode, shape: (document: DocumentNode) => object): Value {
  return fromPlain(shape(document));
}

function queryAt(args: Args, run: Run): DocumentNode {
  const document = documentAt(args, 0, queryDocument, run);
  for (const { kind } of document.definitions) {
    if (kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION)
      throw new BuiltinError(`unexpected ${kind}`);
  }
  return document;
}

function schemaAt(args: Args, at: number, run: Run): DocumentNode {
  const document = documentAt(args, at, schemaDocument, run);
  for (const one of document.definitions) {
    const known = isTypeSystemDefinitionNode(one) || isTypeSystemExtensionNode(one);
    if (!known) throw new BuiltinError(`unexpected ${one.kind}`);
  }
  return document;
}

/** Reads a text, or a syntax tree that another function of GraphQL returned. */
function documentAt(args: Args, at: number, build: (shape: RegoObject) => DocumentNode, run: Run): DocumentNode {
  const operand = args[at];
  if (operand instanceof RegoObject) {
    run.budget.spend(weightOf(operand));
    return build(operand);
  }
  if (typeof operand !== 'string') throw operandError(at, 'string or object', operand);
  run.budget.string(operand.length);
  run.budget.spend(operand.length);
  return asBuiltin(() => {
    const isEmpty = new Lexer(new Source(operand)).advance().kind === TokenKind.EOF;
    return isEmpty
      ? { kind: Kind.DOCUMENT, definitions: [] }
      : parse(operand, { noLocation: true, allowLegacyFragmentVariables: true });
  });
}

/** Refuses the operand where the library finds a mistake. */
const asBuiltin = <T>(action: () => T): T => refusing(GraphQLError, ({ message }) => message, action);

/** Checks a schema and builds it. A schema needs no root type of queries until a query is checked against it. */
function validSchema(document: DocumentNode, run: Run): GraphQLSchema {
  const whole = withExtendedTypes(document);
  // For each unknown type the library looks for one with a similar name.
  spendPairs(3 * whole.definitions.length, run);
  const redefined = whole.definitions.find((one) => isTypeDefinitionNode(one) && OWN_TYPES.has(one.name.value));
  if (redefined !== undefined) throw new BuiltinError('a type of GraphQL itself is defined again');
  refuse(validateSDL(whole));
  const build = (assumeValid: boolean) => buildASTSchema(whole, { assumeValidSDL: true, assumeValid });
  return asBuiltin(() => {
    refuse(validateSchema(build(false)).filter(({ message }) => message !== 'Query root type must be provided.'));
    // The library refuses every query against a schema that it once found to have no root type.
    return build(true);
  });
}

/** Turns the first extension of a type that the document does not define into its definition, as OPA reads it. */
function withExtendedTypes({ kind, definitions }: DocumentNode): DocumentNode {
  const known = new Set(definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value));
  return {
    kind,
    definitions: definitions.map((one) => {
      if (!isTypeExtensionNode(one) || known.has(one.name.value)) return one;
      known.add(one.name.value);
      // The extension of a type has the members of its definition.
      return { ...one, kind: one.kind.replace('Extension', 'Definition') } as DefinitionNode;
    }),
  };
}

function checkQuery(schema: GraphQLSchema, document: DocumentNode, run: Run): void {
  let selections = 0;
  const count = () => {
    selections += 1;
  };
  visit(document, { Field: count, FragmentSpread: count });
  spendPairs(selections, run);
  refuse(validate(schema, document));
}

/** Some rules compare every two definitions or fields. */
function spendPairs(count: number, run: Run): void {
  run.budget.spend(count * count);
}

function refuse(errors: readonly GraphQLError[]): void {
  const [first] = errors;
  if (first !== undefined) throw new BuiltinError(first.message);
}
