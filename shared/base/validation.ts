import * as z from 'zod';
import { invalid, ServiceError } from './errors.ts';
import { illFormedTexts, shortenText, wellFormed } from './well-formed.ts';

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** Errors show at most this many characters of rejected input, so that a caller cannot inflate an answer. */
const SHOWN_INPUT = 200;
/** Errors list at most this many fields. */
const MOST_FIELDS = 100;

/** Texts by field, as error bodies contain them. The object has no prototype, because callers choose the names. */
export type FieldErrors = Record<string, string>;

export const noErrors = (): FieldErrors => Object.create(null);

/** Names of fields whose values are secret or contain secrets (rules/requests.md#secrets-in-errors). */
const SECRET_NAME = /secret|password|token|api_?key|webhook|config|targets/i;
const HIDDEN = 'hidden';
/** User and password of an address. */
const USER_INFO = /\/\/[^/?#\s@]*@/g;

/**
 * Prints input as the fixed texts show it: strings without quotation marks, nothing as `None`, secrets as `hidden`
 * (rules/requests.md#validation-texts).
 */
export function shownInput(input: unknown): string {
  if (input === undefined || input === null) return 'None';
  if (input === true) return 'True';
  if (input === false) return 'False';
  const text = typeof input === 'string' ? input : (JSON.stringify(wellFormed(input), hideSecret) ?? String(input));
  const shown = text.replace(USER_INFO, `//${HIDDEN}@`);
  return shortenText(shown, SHOWN_INPUT).toWellFormed();
}

const hideSecret = (name: string, value: unknown): unknown => (SECRET_NAME.test(name) ? HIDDEN : value);

/** Adds the rejected input to a text. For rules that endpoints add themselves. */
export const withInput = (text: string, input: unknown): string => `${text} [input: ${shownInput(input)}]`;

/** Adds the rejected input of a field to a text. The value of a secret field is not shown. */
const withInputOf = (text: string, path: readonly PropertyKey[], input: unknown): string => {
  const field = path.findLast((part) => typeof part === 'string');
  if (field === undefined && typeof input === 'string') return withDocument(text, input);
  const isSecret = field !== undefined && SECRET_NAME.test(field) && input !== undefined && input !== null;
  return withInput(text, isSecret ? HIDDEN : input);
};

/** Adds the text of a rejected document. A document that mentions a secret field is not shown. */
export const withDocument = (text: string, document: string): string =>
  withInput(text, SECRET_NAME.test(document) ? HIDDEN : document);

/** Adds to a text that the rejected input is secret. */
export const withSecretInput = (text: string): string => withInput(text, HIDDEN);

const TYPE_TEXTS: Record<string, string> = {
  string: 'Input should be a valid string',
  number: 'Input should be a valid number',
  int: 'Input should be a valid integer',
  boolean: 'Input should be a valid boolean',
  object: 'Input should be a valid dictionary',
  record: 'Input should be a valid dictionary',
  map: 'Input should be a valid dictionary',
  array: 'Input should be a valid list',
  tuple: 'Input should be a valid list',
  null: 'Input should be None',
};

/** The text after the type's text if a string could not be read as that type. */
const UNREADABLE: Record<string, string> = {
  number: ', unable to parse string as a number',
  int: ', unable to parse string as an integer',
  boolean: ', unable to interpret input',
};

function typeText(expected: string, input: unknown): string {
  if (input === undefined) return 'Field required';
  const text = TYPE_TEXTS[expected] ?? `Input should be a valid ${expected}`;
  if (typeof input === 'string') return text + (UNREADABLE[expected] ?? '');
  if (expected === 'int' && typeof input === 'number') return `${text}, got a number with a fractional part`;
  return text;
}

/** `'asc' or 'desc'`; `'a', 'b' or 'c'`. */
function choices(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : shownInput(value)));
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`;
}

function sizeText(issue: RawIssue & { code: 'too_small' | 'too_big' }): string {
  const least = issue.code === 'too_small';
  const bound = Number(least ? issue.minimum : issue.maximum);
  const most = least ? 'at least' : 'at most';
  const plural = bound === 1 ? '' : 's';
  if (issue.origin === 'string') return `String should have ${most} ${bound} character${plural}`;
  if (issue.origin === 'array' || issue.origin === 'set') {
    // zod compares sizes only after it has found a list. No schema here is a set.
    return `List should have ${most} ${bound} item${plural} after validation, not ${(issue.input as unknown[]).length}`;
  }
  if (issue.inclusive === false) return `Input should be ${least ? 'greater' : 'less'} than ${bound}`;
  return `Input should be ${least ? 'greater' : 'less'} than or equal to ${bound}`;
}

/** Returns a regular expression without its slashes. */
const bare = (pattern: string) => pattern.slice(pattern.indexOf('/') + 1, pattern.lastIndexOf('/'));

function formatText(issue: RawIssue & { code: 'invalid_format' }): string {
  if (issue.format === 'regex') return `String should match pattern '${bare(String(issue.pattern))}'`;
  if (issue.format === 'url') return 'Input should be a valid URL';
  return `Input should be a valid ${issue.format}`;
}

/** A schema of whole numbers reports other types as no number. The schema itself tells that it wants a whole number. */
function expectedType(issue: RawIssue & { code: 'invalid_type' }): string {
  // zod types the schema of an issue without what its kind adds.
  const { isInt } = (issue.inst ?? {}) as { isInt?: boolean };
  return issue.expected === 'number' && isInt ? 'int' : issue.expected;
}

function issueText(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(expectedType(issue), issue.input);
    case 'too_small':
    case 'too_big':
      return sizeText(issue);
    case 'invalid_format':
      return formatText(issue);
    case 'invalid_value':
      return issue.input === undefined ? 'Field required' : `Input should be ${choices(issue.values)}`;
    case 'not_multiple_of':
      return `Input should be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'Extra inputs are not permitted';
    case 'invalid_union':
      return issue.discriminator === undefined
        ? 'Input should match one of the allowed forms'
        : `Input tag found using '${issue.discriminator}' does not match any of the expected tags`;
    default:
      return 'Input should be valid';
  }
}

/**
 * The error map of zod: the fixed text for each issue whose schema has no text of its own
 * (rules/requests.md#validation-texts). A schema with its own `error` provides the whole text, including the input.
 */
const contractTexts = (issue: RawIssue): string => withInputOf(issueText(issue), issue.path ?? [], issue.input);

/** Returns the name of a field in errors: `artifacts[0].name` (rules/requests.md#field-names-in-errors). */
export function fieldName(path: readonly PropertyKey[]): string {
  const name = path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
  return shownInput(name);
}

/** How `errors` names the fields of one part of a request. */
interface Naming {
  /** `query.` for the query; nothing for bodies and paths. */
  prefix?: string;
  /** The name for the whole document: `payload`, `data_json`. */
  whole: string;
}

/** Adds an error. The first error of a field stays; fields beyond the limit are left out. */
export function addError(errors: FieldErrors, name: string, text: string): void {
  if (name in errors || Object.keys(errors).length >= MOST_FIELDS) return;
  errors[name] = text;
}

function addIssue(errors: FieldErrors, issue: Issue, above: readonly PropertyKey[], naming: Naming): void {
  const path = [...above, ...issue.path];
  const named = (at: readonly PropertyKey[]) =>
    at.length === 0 ? naming.whole : (naming.prefix ?? '') + fieldName(at);
  if (issue.code === 'unrecognized_keys') {
    // Only an object has unknown keys.
    const input = issue.input as Record<string, unknown> | undefined;
    for (const key of issue.keys) {
      addError(errors, named([...path, key]), withInputOf('Extra inputs are not permitted', [key], input?.[key]));
    }
    return;
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of closest(issue.errors)) addIssue(errors, inner, path, naming);
    return;
  }
  if ((issue.code === 'invalid_key' || issue.code === 'invalid_element') && issue.issues.length > 0) {
    for (const inner of issue.issues) addError(errors, named(path), inner.message);
    return;
  }
  addError(errors, named(path), issue.message);
}

/** Returns the issues of the form that a value is closest to: the form that failed deepest inside. */
function closest(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const depth = (issues: readonly Issue[]) => Math.min(...issues.map((issue) => issue.path.length));
  return branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
}

/**
 * Parses one part of a request.
 * @param errors collects the errors of all parts, so that one answer lists them all
 * @returns the parsed value; undefined if an error was added
 */
export function validate<S extends z.ZodType>(
  schema: S,
  input: unknown,
  naming: Naming,
  errors: FieldErrors,
): z.output<S> | undefined {
  const result = schema.safeParse(input, { error: contractTexts, reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) addIssue(errors, issue, [], naming);
  return undefined;
}

/**
 * Refuses texts with half of a surrogate pair in one part of a request (rules/requests.md#well-formed-text).
 * @param errors collects the errors, each under the name of its field
 */
export function addIllFormed(value: unknown, { whole, prefix = '' }: Naming, errors: FieldErrors): void {
  for (const { path, text } of illFormedTexts(value)) {
    const name = path.length === 0 ? whole : prefix + fieldName(path);
    addError(errors, name, withInputOf('String should not contain half of a surrogate pair', path, text));
  }
}

/** @param field name of a field, or the path of a field inside of it */
type Refuse = (field: string | readonly string[], text: string) => void;

/**
 * A check that compares fields of an object, for `schema.check(…)`. Unlike a refinement it also runs if fields are
 * missing or invalid, so that one answer names every problem (rules/requests.md#all-errors-at-once). So it must not
 * rely on the types of the fields.
 */
export const acrossFields = (check: (fields: Readonly<Record<string, unknown>>, refuse: Refuse) => void) =>
  z.superRefine<unknown>(
    (value, { addIssue }) => {
      const refuse: Refuse = (field, message) => addIssue({ code: 'custom', path: [field].flat(), message });
      // `when` below lets only objects reach the check.
      check(value as Readonly<Record<string, unknown>>, refuse);
    },
    { when: ({ value }) => isDictionary(value) },
  );

/** Options of a refinement of a map or list that also runs if items are invalid. It must not rely on their types. */
export const WITH_INVALID_ITEMS = {
  map: { when: ({ value }: { value: unknown }) => isDictionary(value) },
  list: { when: ({ value }: { value: unknown }) => Array.isArray(value) },
};

export const isDictionary = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Runs a part of the validation that throws its errors, and adds these to the errors of the other parts.
 * @returns undefined if an error was added
 * @throws every error that is not `invalid` with `errors`
 */
export async function collect<T>(errors: FieldErrors, part: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await part();
  } catch (error) {
    if (!(error instanceof ServiceError && error.kind === 'invalid' && error.errors)) throw error;
    for (const [name, text] of Object.entries(error.errors)) addError(errors, name, text);
    return undefined;
  }
}

/** @throws ServiceError `invalid` if there is any error */
export function refuseIfAny(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** Creates the error for a single field. */
export const invalidField = (name: string, text: string, input: unknown): ServiceError =>
  invalid({ [name]: withInput(text, input) });
