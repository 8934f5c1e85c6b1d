import { RegoError } from '../errors.ts';
import { asDouble, Decimal, integer, numberOfDouble, parseNumber } from './decimal.ts';
import { isArray, RegoObject, RegoSet, type Value } from './value.ts';

/** JSON-like data of callers. Integers may be `bigint`, and parts may be a {@link Value}. */
export type Plain = unknown;

/** Levels of nesting of data from outside. */
const MAX_DATA_NESTING = 1000;

/**
 * Turns JSON-like data into a value. A double becomes the number of its shortest text, as in OPA.
 * @throws TypeError for data that JSON does not have, RegoError `budget` for nesting beyond {@link MAX_DATA_NESTING}
 */
export function fromPlain(data: Plain, level = 0): Value {
  if (level > MAX_DATA_NESTING) throw new RegoError('budget', `nesting budget of ${MAX_DATA_NESTING} exceeded by data`);
  switch (typeof data) {
    case 'string':
    case 'boolean':
      return data;
    case 'number':
      return numberOfDouble(data);
    case 'bigint':
      return integer(data);
    case 'object': {
      if (data === null) return null;
      if (Array.isArray(data)) return data.map((element: Plain) => fromPlain(element, level + 1));
      if (data instanceof RegoObject || data instanceof RegoSet || data instanceof Decimal) return data;
      const made = new RegoObject();
      for (const [key, value] of Object.entries(data))
        if (value !== undefined) made.set(key, fromPlain(value, level + 1));
      return made;
    }
    default:
      throw new TypeError(`no JSON value: ${typeof data}`);
  }
}

/** The result of {@link toPlain}. */
export type JsonLike = null | boolean | string | number | bigint | JsonLike[] | { [key: string]: JsonLike };

/**
 * Turns a value into JSON-like data: sets become sorted arrays, keys that are no strings become their JSON text,
 * integers beyond 2^53 become `bigint`, other numbers become the nearest double.
 */
export function toPlain(value: Value): JsonLike {
  if (value instanceof Decimal) return asDouble(value);
  if (value === null || typeof value !== 'object') return value;
  if (isArray(value)) return value.map(toPlain);
  if (value instanceof RegoSet) return value.members().map(toPlain);
  const made: { [key: string]: JsonLike } = {};
  for (const [key, member] of value.pairs()) {
    const name = typeof key === 'string' ? key : JSON.stringify(toPlain(key), bigints);
    Object.defineProperty(made, name, { value: toPlain(member), enumerable: true, writable: true, configurable: true });
  }
  return made;
}

/**
 * Reads JSON text. Every number keeps its text.
 * @throws SyntaxError for text that is not JSON
 */
export function parseJson(text: string): Value {
  if (!/[0-9][.eE]|[0-9]{16}|-0/.test(text)) return fromPlain(JSON.parse(text));
  return fromPlain(JSON.parse(text, exactNumber));
}

function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const number = parseNumber(context.source);
  if (number === null) throw new SyntaxError(`number out of range: ${context.source.slice(0, 40)}`);
  return number;
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
