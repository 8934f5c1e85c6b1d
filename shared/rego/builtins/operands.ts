import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { asInteger, type RegoNumber } from '../values/decimal.ts';
import {
  type Collection,
  isArray,
  isCollection,
  isNumber,
  RegoObject,
  RegoSet,
  typeName,
  type Value,
} from '../values/value.ts';

/** Characters of what {@link shortText} reads. */
const MAX_SHORT_TEXT = 1000;

/** The arguments of a call, read with the type that the function wants. */
export type Args = readonly Value[];

/** @throws BuiltinError as every reader here, where the operand is of another type */
export function stringAt(args: Args, at: number): string {
  const value = args[at];
  if (typeof value !== 'string') throw wrong(at, 'string', value);
  return value;
}

/** A string of a form that is never long: dates, durations, amounts. */
export function shortText(args: Args, at: number): string {
  const text = stringAt(args, at);
  if (text.length > MAX_SHORT_TEXT) throw new BuiltinError(`operand ${at + 1} is too long`);
  return text;
}

export function numberAt(args: Args, at: number): RegoNumber {
  const value = args[at];
  if (!isNumber(value)) throw wrong(at, 'number', value);
  return value;
}

/** An integer of any size. */
export function integerAt(args: Args, at: number): bigint {
  const value = asInteger(numberAt(args, at));
  if (value === null) throw new BuiltinError(`operand ${at + 1} must be an integer`);
  return value;
}

/** An integer that fits a count or an index. */
export function countAt(args: Args, at: number): number {
  const value = Number(integerAt(args, at));
  if (!Number.isSafeInteger(value)) throw new BuiltinError(`operand ${at + 1} is out of range`);
  return value;
}

export function booleanAt(args: Args, at: number): boolean {
  const value = args[at];
  if (typeof value !== 'boolean') throw wrong(at, 'boolean', value);
  return value;
}

export function arrayAt(args: Args, at: number): readonly Value[] {
  const value = args[at];
  if (!isArray(value)) throw wrong(at, 'array', value);
  return value;
}

export function objectAt(args: Args, at: number): RegoObject {
  const value = args[at];
  if (!(value instanceof RegoObject)) throw wrong(at, 'object', value);
  return value;
}

export function setAt(args: Args, at: number): RegoSet {
  const value = args[at];
  if (!(value instanceof RegoSet)) throw wrong(at, 'set', value);
  return value;
}

export function collectionAt(args: Args, at: number): Collection {
  const value = args[at];
  if (!isCollection(value)) throw wrong(at, 'array, object or set', value);
  return value;
}

/** The elements of an array or a set. */
export function listAt(args: Args, at: number): readonly Value[] {
  const value = args[at];
  if (isArray(value)) return value;
  if (value instanceof RegoSet) return value.members();
  throw wrong(at, 'array or set', value);
}

/** The strings of an array or a set. */
export function stringsAt(args: Args, at: number): readonly string[] {
  return listAt(args, at).map((value) => {
    if (typeof value !== 'string') throw wrong(at, 'array or set of strings', value);
    return value;
  });
}

/** One string, or the strings of an array or a set. */
export function oneOrMoreAt(args: Args, at: number): readonly string[] {
  const value = args[at];
  return typeof value === 'string' ? [value] : stringsAt(args, at);
}

/** Any value. */
export function valueAt(args: Args, at: number): Value {
  const value = args[at];
  if (value === undefined) throw wrong(at, 'value', value);
  return value;
}

/** A function that tells whether another one takes the operands, whatever it makes of them. */
export function accepts(read: (args: Args, run: Run) => unknown): (args: Args, run: Run) => boolean {
  return (args, run) => {
    try {
      read(args, run);
      return true;
    } catch (error) {
      if (error instanceof BuiltinError) return false;
      throw error;
    }
  };
}

export function wrong(at: number, wanted: string, value: Value | undefined): BuiltinError {
  const got = value === undefined ? 'nothing' : typeName(value);
  return new BuiltinError(`operand ${at + 1} must be ${wanted} but got ${got}`);
}
