import type { Run } from '../../run/context.ts';
import { asDouble, asInteger, compareNumbers, exact, type RegoNumber } from '../../values/decimal.ts';
import { canonicalJson } from '../../values/text.ts';
import { equal, isArray, isNumber, keyOf, RegoObject, type Value } from '../../values/value.ts';
import { FORMATS } from './formats.ts';
import type { Schema } from './schema.ts';

/** One reason why a document does not fit a schema. */
interface Mismatch {
  readonly type: string;
  readonly field: string;
  readonly desc: string;
}

/** The result of one check. Of several results that fail, the one with the highest score tells best what is wrong. */
interface Result {
  readonly errors: readonly Mismatch[];
  readonly score: number;
}

/** Units of work for comparing one value with one schema. */
const STEPS = 8;

/** Compares documents with schemas. Names, texts and order of errors are those of OPA. */
export class Validator {
  private readonly run: Run;

  constructor(run: Run) {
    this.run = run;
  }

  /** @param path names and places from the root of the document to the value */
  check(schema: Schema, value: Value, path: readonly string[], level = 0): Result {
    this.run.budget.spend(STEPS + (typeof value === 'string' ? value.length : 0));
    this.run.budget.nesting(level);
    if (schema.pass !== undefined)
      return new Check(path).require(schema.pass, 'false', 'False always fails validation').done();
    if (schema.ref !== undefined) return this.check(schema.ref, value, path, level + 1);
    const check = new Check(path);
    const given = typeOf(value);
    if (schema.types !== undefined && !isOfType(given, schema.types)) {
      check.add('invalid_type', `Invalid type. Expected: ${typesText(schema.types)}, given: ${given}`);
      return check.done();
    }
    const below = (part: Schema, child: Value = value, step?: string) =>
      this.check(part, child, step === undefined ? path : [...path, step], level + 1);
    combined(schema, value, check, below);
    if (isArray(value)) checkArray(schema, value, check, below);
    if (value instanceof RegoObject) checkObject(schema, value, check, below, this.run);
    if (typeof value === 'string' || typeof value === 'boolean' || isNumber(value)) checkNumber(schema, value, check);
    checkValue(schema, value, check);
    if (typeof value === 'string') checkText(schema, value, check, this.run);
    if (value instanceof RegoObject) {
      for (const [name, part] of schema.properties ?? []) {
        const member = value.get(name);
        if (member !== undefined) check.merge(below(part, member, name));
      }
    }
    const result = check.done();
    this.run.budget.collection(result.errors.length);
    this.run.budget.spend(result.errors.length);
    return result;
  }
}

type Below = (part: Schema, child?: Value, step?: string) => Result;

/** Collects the errors of one value. */
class Check {
  private readonly field: string;
  private readonly errors: Mismatch[] = [];
  private score = 0;

  constructor(path: readonly string[]) {
    this.field = path.length === 0 ? '(Root)' : path.join('.');
  }

  add(type: string, desc: string): void {
    this.errors.push({ type, field: this.field, desc: desc.replace('{field}', this.field) });
    this.score -= 1;
  }

  require(holds: boolean, type: string, desc: string): this {
    if (!holds) this.add(type, desc);
    return this;
  }

  merge({ errors, score }: Result): void {
    this.errors.push(...errors);
    this.score += score;
  }

  /** Merges the result with the highest score, the first of them. */
  mergeBest(results: readonly Result[]): void {
    const best = results.reduce<Result | null>((found, one) => (found && found.score >= one.score ? found : one), null);
    if (best !== null) this.merge(best);
  }

  /** Counts a group of checks that was passed through. */
  passed(): void {
    this.score += 1;
  }

  done(): Result {
    return { errors: this.errors, score: this.score };
  }
}

const isValid = ({ errors }: Result) => errors.length === 0;

function typeOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (isNumber(value)) return asInteger(value) === null ? 'number' : 'integer';
  return isArray(value) ? 'array' : 'object';
}

const typesText = (types: readonly string[]) => (types.length === 1 ? types[0] : `[${types.join(',')}]`);

function isOfType(given: string, types: readonly string[]): boolean {
  return types.includes(given) || (given === 'integer' && types.includes('number'));
}

function combined(schema: Schema, value: Value, check: Check, below: Below): void {
  if (schema.anyOf !== undefined) {
    const results: Result[] = [];
    for (const part of schema.anyOf) {
      results.push(below(part));
      if (results.some(isValid)) break;
    }
    if (!results.some(isValid)) {
      check.add('number_any_of', 'Must validate at least one schema (anyOf)');
      check.mergeBest(results);
    }
  }
  if (schema.oneOf !== undefined) {
    const results = schema.oneOf.map((part) => below(part));
    const count = results.filter(isValid).length;
    if (count !== 1) check.add('number_one_of', 'Must validate one and only one schema (oneOf)');
    if (count === 0) check.mergeBest(results);
  }
  if (schema.allOf !== undefined) {
    const results = schema.allOf.map((part) => below(part));
    for (const result of results) check.merge(result);
    if (!results.every(isValid)) check.add('number_all_of', 'Must validate all the schemas (allOf)');
  }
  if (schema.not !== undefined && isValid(below(schema.not))) {
    check.add('number_not', 'Must not validate the schema (not)');
  }
  if (value instanceof RegoObject) {
    for (const [name, wanted] of schema.dependencies ?? []) {
      if (!value.has(name)) continue;
      if (!isNames(wanted)) check.merge(below(wanted));
      else for (const one of wanted) check.require(value.has(one), 'missing_dependency', `Has a dependency on ${one}`);
    }
  }
  if (schema.if !== undefined) {
    const holds = isValid(below(schema.if));
    const branch = holds ? schema.then : schema.else;
    const result = branch === undefined ? null : below(branch);
    if (result !== null && !isValid(result)) {
      const [name, was] = holds ? ['then', 'valid'] : ['else', 'not valid'];
      check.add(`condition_${name}`, `Must validate "${name}" as "if" was ${was}`);
      check.merge(result);
    }
  }
  check.passed();
}

const isNames = (wanted: Schema | readonly string[]): wanted is readonly string[] => Array.isArray(wanted);

function checkValue(schema: Schema, value: Value, check: Check): void {
  if (schema.const !== undefined && !equal(schema.const.value, value)) {
    check.add('const', `{field} does not match: ${canonicalJson(schema.const.value)}`);
  }
  if (schema.enum !== undefined && !schema.enum.some((one) => equal(one, value))) {
    check.add('enum', `{field} must be one of the following: ${schema.enum.map(canonicalJson).join(', ')}`);
  }
  check.passed();
}

function checkArray(schema: Schema, values: readonly Value[], check: Check, below: Below): void {
  const { items, tuple, additionalItems, counts } = schema;
  if (items !== undefined) {
    for (const [at, one] of values.entries()) check.merge(below(items, one, String(at)));
  }
  if (tuple !== undefined) {
    tuple.forEach((part, at) => {
      const one = values[at];
      if (one !== undefined) check.merge(below(part, one, String(at)));
    });
    const rest = values.slice(tuple.length);
    if (additionalItems === false && rest.length > 0) {
      check.add('array_no_additional_items', 'No additional items allowed on array');
    } else if (typeof additionalItems === 'object') {
      for (const [at, one] of rest.entries()) check.merge(below(additionalItems, one, String(tuple.length + at)));
    }
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = counts;
  check.require(values.length >= minItems, 'array_min_items', `Array must have at least ${minItems} items`);
  check.require(values.length <= maxItems, 'array_max_items', `Array must have at most ${maxItems} items`);
  if (schema.uniqueItems === true) {
    const places = new Map<unknown, number>();
    values.forEach((one, at) => {
      const before = places.get(keyOf(one));
      if (before !== undefined) check.add('unique', `array items[${before},${at}] must be unique`);
      places.set(keyOf(one), at);
    });
  }
  if (schema.contains !== undefined) {
    const { contains } = schema;
    const results = values.map((one, at) => below(contains, one, String(at)));
    if (!results.some(isValid)) {
      check.add('contains', 'At least one of the items must match');
      check.mergeBest(results);
    }
  }
  check.passed();
}

function checkObject(schema: Schema, object: RegoObject, check: Check, below: Below, run: Run): void {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema.counts;
  check.require(object.size >= minProperties, 'array_min_properties', `Must have at least ${minProperties} properties`);
  check.require(object.size <= maxProperties, 'array_max_properties', `Must have at most ${maxProperties} properties`);
  for (const name of schema.required ?? []) check.require(object.has(name), 'required', `${name} is required`);
  for (const [key, value] of object.pairs()) {
    const name = typeof key === 'string' ? key : canonicalJson(key);
    run.budget.spend((schema.patterns?.length ?? 0) * (1 + name.length));
    const patterns = (schema.patterns ?? []).filter(([pattern]) => pattern.test(name));
    for (const [, part] of patterns) check.merge(below(part, value, name));
    const isKnown = patterns.length > 0 || schema.properties?.has(name) === true;
    const rest = schema.additionalProperties;
    if (rest === false && !isKnown)
      check.add('additional_property_not_allowed', `Additional property ${name} is not allowed`);
    if (typeof rest === 'object' && !isKnown) check.merge(below(rest, value, name));
    const named = schema.propertyNames === undefined ? null : below(schema.propertyNames, name);
    if (named === null || isValid(named)) continue;
    check.add('invalid_property_name', `Property name of ${JSON.stringify(name)} does not match`);
    check.merge(named);
  }
  check.passed();
}

function checkText(schema: Schema, text: string, check: Check, run: Run): void {
  const length = Array.from(text).length;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema.counts;
  check.require(length >= minLength, 'string_gte', `String length must be greater than or equal to ${minLength}`);
  check.require(length <= maxLength, 'string_lte', `String length must be less than or equal to ${maxLength}`);
  if (schema.pattern !== undefined) {
    const { source, regex } = schema.pattern;
    check.require(regex.test(text), 'pattern', `Does not match pattern '${source}'`);
  }
  const format = schema.format === undefined ? undefined : FORMATS.get(schema.format);
  if (format !== undefined) check.require(format(text, run), 'format', `Does not match format '${schema.format}'`);
  check.passed();
}

function checkNumber(schema: Schema, value: Value, check: Check): void {
  if (isNumber(value)) {
    const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const bound = (limit: RegoNumber | undefined, type: string, text: string, holds: (order: number) => boolean) => {
      if (limit === undefined || holds(compareNumbers(value, limit))) return;
      check.add(type, `Must be ${text} ${numberText(limit)}`);
    };
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
      check.add('multiple_of', `Must be a multiple of ${numberText(multipleOf)}`);
    }
    bound(maximum, 'number_lte', 'less than or equal to', (order) => order <= 0);
    bound(exclusiveMaximum, 'number_lt', 'less than', (order) => order < 0);
    bound(minimum, 'number_gte', 'greater than or equal to', (order) => order >= 0);
    bound(exclusiveMinimum, 'number_gt', 'greater than', (order) => order > 0);
  }
  check.passed();
}

function isMultiple(value: RegoNumber, factor: RegoNumber): boolean {
  const [a, b] = [exact(value), exact(factor)];
  const shift = BigInt(Math.abs(a.exponent - b.exponent));
  const scale = 10n ** shift;
  return a.exponent >= b.exponent
    ? (a.coefficient * scale) % b.coefficient === 0n
    : a.coefficient % (b.coefficient * scale) === 0n;
}

/** Writes a limit with ten digits, large and small numbers with an exponent. */
function numberText(number: RegoNumber): string {
  const double = asDouble(number);
  const isSmall = double !== 0 && Math.abs(double) < 1e-4;
  const [digits = '', power] = (isSmall ? double.toExponential(9) : double.toPrecision(10)).split('e');
  const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return power === undefined ? short : `${short}e${power.replace(/^([-+])(\d)$/, '$10$2')}`;
}
