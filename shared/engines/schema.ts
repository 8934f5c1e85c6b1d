import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { shorten } from './limits.ts';

/** Validators by `$schema` without scheme and fragment (rules/attestations.md#type-schema). */
const DIALECTS = {
  'json-schema.org/draft-07/schema': Ajv,
  'json-schema.org/draft/2019-09/schema': Ajv2019,
  'json-schema.org/draft/2020-12/schema': Ajv2020,
} as const;

const DEFAULT_DIALECT = 'json-schema.org/draft-07/schema';

/** Compiles a pattern that matches in linear time. Look-around and back-references are not supported. */
function linearPattern(pattern: string): { test(text: string): boolean } {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    throw new Error(`the pattern '${pattern}' is not supported: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Every object inherits names such as `toString`.
  ownProperties: true,
  // `code` is needed only for generated modules, which we do not make.
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

type Validator = ReturnType<Ajv['compile']>;

/**
 * Checks a schema and compiles it. References are resolved within the document only; nothing is fetched.
 * @param text JSON text of the schema
 * @returns null, or a sentence that says what is wrong with the schema
 */
export function checkSchemaText(text: string): string | null {
  try {
    const parsed = parseSchema(text);
    if (typeof parsed === 'string') return parsed;
    const { ajv, schema } = parsed;
    if (ajv.validateSchema(schema) !== true) return `not a JSON Schema: ${firstError(ajv.errors)}`;
    return '$async' in compile(ajv, schema) ? 'the keyword $async is not supported' : null;
  } catch (error) {
    if (error instanceof Error) return shorten(error.message);
    throw error;
  }
}

/**
 * Validates a document against a schema that passed {@link checkSchemaText}.
 * @returns null, or the first violation with its path as a JSON pointer
 */
export function validateText(schemaText: string, json: string): string | null {
  const parsed = parseSchema(schemaText);
  if (typeof parsed === 'string') return parsed;
  const validator = compile(parsed.ajv, parsed.schema);
  const document = parseDocument(json);
  if (document === undefined) return '(root) is not JSON';
  return validator(document) === true ? null : firstError(validator.errors);
}

/** @returns the value, or undefined if the text is not JSON (no JSON text has the value undefined) */
function parseDocument(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

type Schema = Record<string, unknown>;

/**
 * Parses a schema and makes a validator of its dialect. `$schema` is left out of the returned schema, because the
 * validators accept only one spelling of it. Each call makes a new validator: a schema must not see an `$id` that
 * another schema declares.
 *
 * @returns the validator with the schema, or a sentence that says what is wrong with the schema
 */
function parseSchema(text: string): { ajv: Ajv; schema: Schema } | string {
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) return 'the schema must be a JSON object';
  const { $schema = `http://${DEFAULT_DIALECT}`, ...schema } = given;
  const id = String($schema)
    .replace(/^https?:\/\//, '')
    .replace(/#?$/, '');
  // `hasOwn` has found the key.
  const dialect = Object.hasOwn(DIALECTS, id) ? DIALECTS[id as keyof typeof DIALECTS] : undefined;
  if (!dialect) return `the $schema '${shorten(String($schema))}' is not supported: use draft-07, 2019-09 or 2020-12`;
  const ajv = new dialect(OPTIONS);
  addFormats.default(ajv);
  // The linear engine refuses some valid patterns when the schema is compiled; its message says why.
  ajv.addFormat('regex', isRegExp);
  return { ajv, schema };
}

function compile(ajv: Ajv, schema: Schema): Validator {
  ajv.opts.validateSchema = false;
  return ajv.compile(schema);
}

function isRegExp(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function firstError(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? [];
  if (!error) return 'does not match the schema';
  return shorten(`${error.instancePath || '(root)'} ${error.message ?? 'is not valid'}${details(error)}`);
}

/** Returns the property name or the allowed values, which the validator's message leaves out. */
function details({ params }: ErrorObject): string {
  const name: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'];
  if (typeof name === 'string') return `: '${name}'`;
  const values: unknown = params['allowedValues'] ?? params['allowedValue'];
  return values === undefined ? '' : `: ${JSON.stringify(values)}`;
}
