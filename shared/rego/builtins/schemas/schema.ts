import type { RE2JS } from 're2js';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { asInteger, compareNumbers, type RegoNumber } from '../../values/decimal.ts';
import { isArray, isNumber, keyOf, RegoObject, type Value } from '../../values/value.ts';
import { refusing } from '../operands.ts';
import { compiled } from '../regexes.ts';
import { resolveReference } from './references.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];

/** Names of limits: integers that are not negative. */
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
type Count = (typeof COUNTS)[number];

/** A schema that was checked. Members that the schema does not have are missing. */
export interface Schema {
  /** The schema is `true` or `false`. */
  pass?: boolean;
  ref?: Schema;
  types?: readonly string[];
  properties?: ReadonlyMap<string, Schema>;
  patterns?: readonly (readonly [RE2JS, Schema])[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  required?: readonly string[];
  dependencies?: ReadonlyMap<string, Schema | readonly string[]>;
  items?: Schema;
  tuple?: readonly Schema[];
  additionalItems?: boolean | Schema;
  contains?: Schema;
  uniqueItems?: boolean;
  counts: Partial<Record<Count, number>>;
  pattern?: { readonly source: string; readonly regex: RE2JS };
  format?: string;
  multipleOf?: RegoNumber;
  minimum?: RegoNumber;
  maximum?: RegoNumber;
  exclusiveMinimum?: RegoNumber;
  exclusiveMaximum?: RegoNumber;
  const?: { readonly value: Value };
  enum?: readonly Value[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

/** Reads a schema with everything that it refers to. A reference leads to a place in the same schema. */
export class SchemaReader {
  private readonly root: RegoObject;
  private readonly run: Run;
  /** Schemas that are read, so that a reference to a schema around it ends. */
  private readonly known = new Map<RegoObject, Schema>();

  constructor(root: RegoObject, run: Run) {
    this.root = root;
    this.run = run;
  }

  /** @throws BuiltinError for a schema that is not valid, and for a reference to another document */
  read(value: Value = this.root, level = 0): Schema {
    this.run.budget.spend();
    this.run.budget.nesting(level);
    if (typeof value === 'boolean') return { pass: value, counts: {} };
    if (!(value instanceof RegoObject)) throw new BuiltinError('Expected: Valid Schema, given: Invalid JSON');
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const schema: Schema = { counts: {} };
    this.known.set(value, schema);
    const keywords = new Keywords(value);
    for (const name of ['$id', 'id', 'title', 'description']) keywords.text(name);
    const reference = keywords.text('$ref');
    if (reference !== undefined) schema.ref = this.read(resolveReference(reference, this.root), level + 1);
    else this.fill(schema, keywords, (part) => this.read(part, level + 1));
    return schema;
  }

  private fill(schema: Schema, keywords: Keywords, read: (part: Value) => Schema): void {
    this.structure(schema, keywords, read);
    this.combinations(schema, keywords, read);
    checkNumbers(schema, keywords);
    const pattern = keywords.text('pattern');
    if (pattern !== undefined) {
      schema.pattern = { source: pattern, regex: this.regex(pattern, 'pattern must be a valid regex') };
    }
    schema.format = keywords.text('format');
    schema.uniqueItems = keywords.boolean('uniqueItems');
    schema.required = keywords.uniqueTexts('required');
    const constant = keywords.get('const');
    if (constant !== undefined) schema.const = { value: constant };
    const values = keywords.list('enum');
    if (values !== undefined && new Set(values.map(keyOf)).size < values.length) {
      throw new BuiltinError('enum items must be unique');
    }
    schema.enum = values;
  }

  private structure(schema: Schema, keywords: Keywords, read: (part: Value) => Schema): void {
    for (const [, part] of keywords.definitions()) read(part);
    schema.types = keywords.types();
    const each = (pairs: readonly (readonly [string, Value])[] | undefined) =>
      pairs && new Map(pairs.map(([name, part]) => [name, read(part)] as const));
    schema.properties = each(keywords.members('properties', 'Properties must be of type object'));
    const wrong = invalidType('Valid Schema', 'patternProperties');
    schema.patterns = keywords.members('patternProperties', wrong)?.map(([source, part]) => {
      return [this.regex(source, `Invalid regex pattern '${source}'`), read(part)] as const;
    });
    schema.additionalProperties = keywords.either('additionalProperties', read);
    schema.additionalItems = keywords.either('additionalItems', read);
    schema.propertyNames = keywords.part('propertyNames', read, wrong);
    schema.contains = keywords.part('contains', read, 'Expected: Valid Schema, given: Invalid JSON');
    const items = keywords.get('items');
    if (isArray(items) && items.every(isSchema)) schema.tuple = items.map(read);
    else schema.items = keywords.part('items', read, invalidType('Valid Schema/Array Of Schemas', 'items'));
    const dependencies = keywords.members('dependencies', 'dependencies must be of type object');
    schema.dependencies = dependencies && new Map(dependencies.map(([name, part]) => [name, dependency(part, read)]));
  }

  private combinations(schema: Schema, keywords: Keywords, read: (part: Value) => Schema): void {
    for (const name of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = keywords.list(name);
      if (list !== undefined && list.length > 0) schema[name] = list.map(read);
    }
    for (const name of ['not', 'if', 'then', 'else'] as const) {
      schema[name] = keywords.part(name, read, `${name} must be of an object`);
    }
  }

  private regex(source: string, message: string): RE2JS {
    return refusing(BuiltinError, message, () => compiled(source, this.run));
  }
}

const isSchema = (value: Value): value is RegoObject | boolean =>
  value instanceof RegoObject || typeof value === 'boolean';
const invalidType = (expected: string, given: string) => `Invalid type. Expected: ${expected}, given: ${given}`;

function dependency(part: Value, read: (part: Value) => Schema): Schema | readonly string[] {
  if (isSchema(part)) return read(part);
  if (isArray(part) && part.every((one) => typeof one === 'string')) return part;
  throw new BuiltinError('Dependency must be of type Schema Or Array Of Strings');
}

/** Reads the members of one schema and checks their types. */
class Keywords {
  private readonly source: RegoObject;

  constructor(source: RegoObject) {
    this.source = source;
  }

  get(name: string): Value | undefined {
    return this.source.get(name);
  }

  /** Returns a member that must have one type. */
  private typed<T extends Value>(name: string, message: string, is: (value: Value) => value is T): T | undefined {
    const value = this.source.get(name);
    if (value !== undefined && !is(value)) throw new BuiltinError(message);
    return value;
  }

  text(name: string): string | undefined {
    return this.typed(name, invalidType('string', name), (value) => typeof value === 'string');
  }

  boolean(name: string): boolean | undefined {
    return this.typed(name, `${name} must be of a boolean`, (value) => typeof value === 'boolean');
  }

  list(name: string): readonly Value[] | undefined {
    return this.typed(name, `${name} must be of an array`, isArray);
  }

  number(name: string): RegoNumber | undefined {
    return this.typed(name, `${name} must be of a Number`, isNumber);
  }

  uniqueTexts(name: string): readonly string[] | undefined {
    const texts = this.list(name)?.map((one) => {
      if (typeof one !== 'string') throw new BuiltinError(invalidType('string', name));
      return one;
    });
    if (texts !== undefined && new Set(texts).size < texts.length) {
      throw new BuiltinError(`${name} items must be unique`);
    }
    return texts;
  }

  members(name: string, message: string): (readonly [string, Value])[] | undefined {
    const object = this.typed(name, message, (value) => value instanceof RegoObject);
    return object?.pairs().map(([key, part]) => [String(key), part] as const);
  }

  definitions(): readonly (readonly [string, Value])[] {
    const message = invalidType('Array Of Schemas', 'definitions');
    const members = this.members('definitions', message) ?? [];
    if (!members.every(([, part]) => isSchema(part))) throw new BuiltinError(message);
    return members;
  }

  part(name: string, read: (part: Value) => Schema, message: string): Schema | undefined {
    const value = this.typed(name, message, isSchema);
    return value === undefined ? undefined : read(value);
  }

  either(name: string, read: (part: Value) => Schema): boolean | Schema | undefined {
    const value = this.source.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    if (!(value instanceof RegoObject)) throw new BuiltinError(invalidType('boolean/Valid Schema', name));
    return read(value);
  }

  types(): readonly string[] | undefined {
    const value = this.source.get('type');
    if (value === undefined) return undefined;
    const types = typeof value === 'string' ? [value] : value;
    if (!isArray(types)) throw new BuiltinError(invalidType('type', 'string/Array Of Strings'));
    if (types.length === 0) return undefined;
    return types.map((type) => {
      if (typeof type === 'string' && TYPES.includes(type)) return type;
      throw new BuiltinError(
        `has a primitive type that is NOT VALID -- given: /${String(type)}/ Expected valid values are:[${TYPES.join(' ')}]`,
      );
    });
  }
}

function checkNumbers(schema: Schema, keywords: Keywords): void {
  schema.multipleOf = keywords.number('multipleOf');
  if (schema.multipleOf !== undefined && compareNumbers(schema.multipleOf, 0) <= 0) {
    throw new BuiltinError('multipleOf must be strictly greater than 0');
  }
  for (const bound of ['minimum', 'maximum'] as const) {
    const exclusive = bound === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    schema[bound] = keywords.number(bound);
    const limit = keywords.get(exclusive);
    if (limit === undefined) continue;
    if (typeof limit === 'boolean') {
      if (schema[bound] === undefined) throw new BuiltinError(`${exclusive} cannot be used without ${bound}`);
      if (limit) [schema[exclusive], schema[bound]] = [schema[bound], undefined];
    } else if (isNumber(limit)) schema[exclusive] = limit;
    else throw new BuiltinError(invalidType('boolean/number', exclusive));
  }
  for (const name of COUNTS) {
    const value = keywords.get(name);
    if (value === undefined) continue;
    const count = isNumber(value) ? asInteger(value) : null;
    if (count === null) throw new BuiltinError(`${name} must be of an integer`);
    if (count < 0n) throw new BuiltinError(`${name} must be greater than or equal to 0`);
    schema.counts[name] = Number(count);
  }
  for (const kind of ['Length', 'Properties'] as const) {
    const [least, most] = [schema.counts[`min${kind}`], schema.counts[`max${kind}`]];
    if (least !== undefined && most !== undefined && least > most) {
      throw new BuiltinError(`min${kind} cannot be greater than max${kind}`);
    }
  }
}
