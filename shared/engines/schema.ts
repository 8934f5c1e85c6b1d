import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { shorten } from './limits.ts';

/** Dialects by `$schema`, without scheme and fragment (semantics §4: draft-07 unless the schema says otherwise). */
const DIALECTS = {
  'json-schema.org/draft-07/schema': Ajv,
  'json-schema.org/draft/2019-09/schema': Ajv2019,
  'json-schema.org/draft/2020-12/schema': Ajv2020,
} as const;

const DEFAULT_DIALECT = 'json-schema.org/draft-07/schema';

/** A pattern in linear time; the engine for it knows no look-around and no back-references. */
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
  // Names such as `toString` are on every object.
  ownProperties: true,
  // The code is never printed, so its text is not needed.
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

type Validator = ReturnType<Ajv['compile']>;

/**
 * Checks a schema and compiles it. References are resolved within the document only: nothing is ever fetched.
 * @param text JSON text of the schema
 * @returns null, or what is wrong with it
 */
export function checkSchemaText(text: string): string | null {
  try {
    const read = readSchema(text);
    if (typeof read === 'string') return read;
    const { ajv, schema } = read;
    if (ajv.validateSchema(schema) !== true) return `not a JSON Schema: ${firstError(ajv.errors)}`;
    return '$async' in compiled(ajv, schema) ? 'the keyword $async is not supported' : null;
  } catch (error) {
    if (error instanceof Error) return shorten(error.message);
    throw error;
  }
}

/**
 * Validates a document against a schema that passed {@link checkSchemaText}.
 * @returns null, or the first violation with the path to it as a JSON pointer
 */
export function validateText(schemaText: string, json: string): string | null {
  const read = readSchema(schemaText);
  if (typeof read === 'string') return read;
  const validator = compiled(read.ajv, read.schema);
  const document = parseDocument(json);
  if (document === undefined) return '(root) is not JSON';
  return validator(document) === true ? null : firstError(validator.errors);
}

/** @returns undefined, which no JSON text gives, where the text is none */
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
 * The schema and an engine of its dialect, which is told by the engine, so that `$schema` may be spelled in several
 * ways. A new engine each time: what one schema declares (`$id`) must not be known to another.
 *
 * @returns what is wrong, where there is no such engine
 */
function readSchema(text: string): { ajv: Ajv; schema: Schema } | string {
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) return 'the schema must be a JSON object';
  const { $schema = `http://${DEFAULT_DIALECT}`, ...schema } = given;
  const id = String($schema)
    .replace(/^https?:\/\//, '')
    .replace(/#?$/, '');
  const dialect = Object.hasOwn(DIALECTS, id) ? DIALECTS[id as keyof typeof DIALECTS] : undefined;
  if (!dialect) return `the $schema '${shorten(String($schema))}' is not supported: use draft-07, 2019-09 or 2020-12`;
  const ajv = new dialect(OPTIONS);
  addFormats.default(ajv);
  // A pattern that this engine can read may still be none for the linear one, whose message says why.
  ajv.addFormat('regex', isRegExp);
  return { ajv, schema };
}

function compiled(ajv: Ajv, schema: Schema): Validator {
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

/** The name or the values that the engine's message leaves out. */
function details({ params }: ErrorObject): string {
  const name: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'];
  if (typeof name === 'string') return `: '${name}'`;
  const values: unknown = params['allowedValues'] ?? params['allowedValue'];
  return values === undefined ? '' : `: ${JSON.stringify(values)}`;
}
