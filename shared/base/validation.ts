import type * as z from 'zod';
import { type ApiError, invalid } from './errors.ts';

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** Rejected input is shown up to this many characters, so that an answer cannot be blown up through it. */
const SHOWN_INPUT = 200;
/** A request that is wrong in more places is told of the first ones. */
const MOST_FIELDS = 100;

/** Field → text, as error bodies carry it; without a prototype, since callers choose the names. */
export type FieldErrors = Record<string, string>;

export const noErrors = (): FieldErrors => Object.create(null);

/** The input as the contract's texts show it: strings bare, nothing as `None` (wire admin §1.4). */
export function shownInput(input: unknown): string {
  if (input === undefined || input === null) return 'None';
  if (input === true) return 'True';
  if (input === false) return 'False';
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input));
  return text.length > SHOWN_INPUT ? `${text.slice(0, SHOWN_INPUT)}…` : text;
}

/** A rule's text with the input that broke it: for the rules that endpoints add on their own. */
export const withInput = (text: string, input: unknown): string => `${text} [input: ${shownInput(input)}]`;

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

/** What follows the type's text when a string could not be read as that type. */
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
    return `List should have ${most} ${bound} item${plural} after validation, not ${(issue.input as unknown[]).length}`;
  }
  if (issue.inclusive === false) return `Input should be ${least ? 'greater' : 'less'} than ${bound}`;
  return `Input should be ${least ? 'greater' : 'less'} than or equal to ${bound}`;
}

/** A regular expression between its slashes: the pattern alone. */
const bare = (pattern: string) => pattern.slice(pattern.indexOf('/') + 1, pattern.lastIndexOf('/'));

function formatText(issue: RawIssue & { code: 'invalid_format' }): string {
  if (issue.format === 'regex') return `String should match pattern '${bare(String(issue.pattern))}'`;
  if (issue.format === 'url') return 'Input should be a valid URL';
  return `Input should be a valid ${issue.format}`;
}

/** A number schema for whole numbers refuses other types as a number first: the schema itself knows better. */
function expectedType(issue: RawIssue & { code: 'invalid_type' }): string {
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
 * Given to zod as the error map of a parse: the contract's text for whatever has no text of its own in its schema
 * (wire admin §1.4). A schema that gives its own `error` gives the whole text, input included.
 */
export const contractTexts = (issue: RawIssue): string => withInput(issueText(issue), issue.input);

/** `artifacts[0].name`: nested names with dots, places in lists in brackets (wire admin §1.4). */
export function fieldName(path: readonly PropertyKey[]): string {
  const name = path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
  return name.length > SHOWN_INPUT ? `${name.slice(0, SHOWN_INPUT)}…` : name;
}

/** How the fields of one part of a request are called in `errors`. */
export interface Naming {
  /** `query.` for the query, nothing for bodies and paths. */
  prefix?: string;
  /** Called so when the whole is wrong: `payload`, `data_json`. */
  whole: string;
}

/** Notes an error; the first one of a field stands, and further fields are left out beyond the limit. */
function note(errors: FieldErrors, name: string, text: string): void {
  if (name in errors || Object.keys(errors).length >= MOST_FIELDS) return;
  errors[name] = text;
}

function noteIssue(errors: FieldErrors, issue: Issue, above: readonly PropertyKey[], naming: Naming): void {
  const path = [...above, ...issue.path];
  const named = (at: readonly PropertyKey[]) =>
    at.length === 0 ? naming.whole : (naming.prefix ?? '') + fieldName(at);
  if (issue.code === 'unrecognized_keys') {
    const input = issue.input as Record<string, unknown> | undefined;
    for (const key of issue.keys) {
      note(errors, named([...path, key]), withInput('Extra inputs are not permitted', input?.[key]));
    }
    return;
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of closest(issue.errors)) noteIssue(errors, inner, path, naming);
    return;
  }
  if ((issue.code === 'invalid_key' || issue.code === 'invalid_element') && issue.issues.length > 0) {
    for (const inner of issue.issues) note(errors, named(path), inner.message);
    return;
  }
  note(errors, named(path), issue.message);
}

/** Of the forms that a value could have had, the one that it came closest to: the one that failed deepest inside. */
function closest(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const depth = (issues: readonly Issue[]) => Math.min(...issues.map((issue) => issue.path.length));
  return branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
}

/**
 * Parses one part of a request.
 * @param errors collects what is wrong, so that several parts are told of in one answer
 * @returns the parsed value; undefined when something was noted
 */
export function validate<S extends z.ZodType>(
  schema: S,
  input: unknown,
  naming: Naming,
  errors: FieldErrors,
): z.output<S> | undefined {
  const result = schema.safeParse(input, { error: contractTexts, reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) noteIssue(errors, issue, [], naming);
  return undefined;
}

/** @throws ApiError 400 when anything was noted */
export function refuseIfAny(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/**
 * Parses a value that came with a request, outside the parts that a definition declares.
 * @throws ApiError 400 with the field → text map
 */
export function parseOrRefuse<S extends z.ZodType>(schema: S, input: unknown, naming: Naming): z.output<S> {
  const errors = noErrors();
  const value = validate(schema, input, naming, errors);
  refuseIfAny(errors);
  return value as z.output<S>;
}

/** A single field's refusal. */
export const invalidField = (name: string, text: string, input: unknown): ApiError =>
  invalid({ [name]: withInput(text, input) });
