import * as z from 'zod';
import { EPOCH, firstMicrosFrom, fromSeconds, lastMicrosTo, type Micros, micros } from '#shared/base/time.ts';
import { type FieldErrors, invalidField } from '#shared/base/validation.ts';
import type { Window } from '#shared/series/series.ts';
import { CURSOR_PATTERN, placeBefore } from '#shared/table/cursors.ts';
import { addUnknownNames } from './unknown-names.ts';

/**
 * Schemas of query parameters, which arrive as text. A text that cannot be converted stays as it is, so that the error
 * quotes it (rules/requests.md#validation-texts). Add `.optional()` or `.default(…)` outside.
 */

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const readWith = (pattern: RegExp) => (input: unknown) =>
  typeof input === 'string' && pattern.test(input.trim()) ? Number(input) : input;

const readBoolean = (input: unknown) => {
  const word = typeof input === 'string' ? input.toLowerCase() : input;
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  return input;
};

interface Bounds {
  min?: number;
  max?: number;
}

function bounded<S extends z.ZodNumber>(schema: S, { min, max }: Bounds): S {
  let result = schema;
  // A bound changes no type of a schema, but zod declares the result as any number.
  if (min !== undefined) result = result.min(min) as S;
  // An upper bound changes no type either.
  if (max !== undefined) result = result.max(max) as S;
  return result;
}

/** A whole number. */
export const integerField = (bounds: Bounds = {}) => z.preprocess(readWith(INTEGER), bounded(z.int(), bounds));

/** A finite number, mostly an instant in seconds. */
export const numberField = (bounds: Bounds = {}) => z.preprocess(readWith(NUMBER), bounded(z.number(), bounds));

/** `true`, `false`, `1` or `0`, in upper or lower case. */
export const booleanField = () => z.preprocess(readBoolean, z.boolean());

/** All values of a parameter that may occur several times: `?type=a&type=b`. */
export const listField = <S extends z.ZodType>(item: S) => z.array(item);

/**
 * The two parameters of a paged list. Pages start at 1, and a page past the end is empty
 * (rules/lists.md#page-parameters).
 */
export const pageFields = ({ perPage, min = 1, max = 100 }: { perPage: number; min?: number; max?: number }) => ({
  page: integerField({ min: 1 })
    .default(1)
    .meta({ description: 'Number of the page, from 1 on', override: { default: 1 } }),
  per_page: integerField({ min, max })
    .default(perPage)
    .meta({ description: 'Records on a page', override: { default: perPage } }),
});

const CURSOR_PAGE = { size: 20, largest: 100 };

/**
 * The two parameters of a list whose pages follow each other by cursors (rules/lists.md#cursors).
 * @param noun what a page holds: `Deliveries`
 */
export const cursorFields = (noun: string) => ({
  cursor: z.string().optional().meta({ description: '`next_cursor` of the previous page', pattern: CURSOR_PATTERN }),
  per_page: integerField({ min: 1, max: CURSOR_PAGE.largest })
    .default(CURSOR_PAGE.size)
    .meta({ description: `${noun} on a page`, override: { default: CURSOR_PAGE.size } }),
});

export { placeBefore };

/** The two parameters of a list that may be cut to a time window (rules/lists.md#time-windows). */
export const windowFields = {
  start_ts: numberField().optional().meta({ description: 'Seconds since the epoch, inclusive' }),
  end_ts: numberField().optional().meta({ description: 'Seconds since the epoch, inclusive' }),
};

interface AskedWindow {
  start_ts?: number | undefined;
  end_ts?: number | undefined;
}

/** Refuses a period of a log that ends before it begins. @throws ServiceError 400 */
export function checkPeriod({ start_ts: start, end_ts: end }: AskedWindow): void {
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidField('query.start_ts', 'Input should not be later than end_ts', start);
  }
}

/** Returns the period of a log in microseconds. A bound that was not given is undefined. */
export const periodOf = ({ start_ts: start, end_ts: end }: AskedWindow) => ({
  from: microsOf(start),
  to: microsOf(end),
});

const microsOf = (seconds: number | undefined): Micros | undefined =>
  seconds === undefined ? undefined : fromSeconds(seconds);

/**
 * Returns the window in microseconds; undefined if the request has neither parameter. A record is in the window exactly
 * if its time, as answers show it, is not less than `start_ts` and not greater than `end_ts`.
 * @throws ServiceError 400 if the window ends before it begins
 */
export function windowOf({ start_ts: start, end_ts: end }: AskedWindow): Window | undefined {
  if (start === undefined && end === undefined) return undefined;
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidField('query.start_ts', 'Input should be less than or equal to end_ts', start);
  }
  return {
    from: start === undefined ? EPOCH : firstMicrosFrom(start),
    to: end === undefined ? micros(Number.MAX_SAFE_INTEGER) : lastMicrosTo(end),
  };
}

/**
 * Reads the query for a schema: the last value of each declared parameter, or all its values if the schema wants a
 * list. An empty value counts as absent (rules/requests.md#query-parameters).
 * @param raw the query string, still encoded
 * @param errors collects parameters that the schema does not declare, unless the schema is a `z.looseObject`
 */
export function readQuery(raw: string, schema: z.ZodObject, errors: FieldErrors): Record<string, unknown> {
  const given = new URLSearchParams(raw);
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, field] of Object.entries(schema.shape)) {
    const values = given.getAll(name).filter((value) => value !== '');
    if (values.length > 0) input[name] = isList(field) ? values : values.at(-1);
  }
  if (!isOpen(schema)) addUnknownNames('parameter', given.keys(), Object.keys(schema.shape), errors, 'query.');
  return input;
}

/** Whether a schema lets parameters pass that it does not declare: `z.looseObject`. */
const isOpen = (schema: z.ZodObject): boolean => schema._zod.def.catchall !== undefined;

/**
 * Parses each parameter alone, so that rules across parameters also apply to a query with other errors
 * (rules/requests.md#all-errors-at-once).
 */
export function sortQuery(schema: z.ZodObject, asked: Record<string, unknown>) {
  const query: Record<string, unknown> = {};
  const refused = new Set<string>();
  for (const [name, field] of Object.entries(schema.shape)) {
    const result = z.safeParse(field, asked[name]);
    if (result.success) query[name] = result.data;
    else refused.add(name);
  }
  return { query, refused };
}

/** Returns whether a field is an array under its optional, default and preprocessing wrappers. */
function isList(field: z.core.$ZodType): boolean {
  // zod types a schema of any kind without what its kind adds.
  const def = field._zod.def as { type: string; innerType?: z.core.$ZodType; out?: z.core.$ZodType };
  const inner = def.innerType ?? def.out;
  return def.type === 'array' || (inner !== undefined && isList(inner));
}

/** The first and the last day of a list by days. Each day counts as a whole. */
export const dayFields = {
  start_ts: numberField({ min: 0 }).optional().meta({
    description: 'Seconds since the epoch: an instant of the first day. Default: 27 days before the last day',
  }),
  end_ts: numberField({ min: 0 }).optional().meta({
    description: 'Seconds since the epoch: an instant of the last day. Default: now',
  }),
};
