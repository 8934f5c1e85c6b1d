import { BuiltinError } from '../errors.ts';
import type { Budget } from '../limits.ts';
import type { Run } from '../run/context.ts';
import { asInteger, type RegoNumber } from '../values/decimal.ts';
import { leastLength } from '../values/text.ts';
import {
  type Collection,
  isArray,
  isCollection,
  isNumber,
  RegoObject,
  RegoSet,
  typeName,
  type Value,
  weightOf,
} from '../values/value.ts';

/** Characters of the texts that {@link shortText} accepts. */
const MAX_SHORT_TEXT = 1000;

/** The operands of a call. The functions below return one operand with the type that a built-in function expects. */
export type Args = readonly Value[];

/** @throws BuiltinError when the operand has another type, as every function below does */
export function stringAt(args: Args, at: number): string {
  const value = args[at];
  if (typeof value !== 'string') throw operandError(at, 'string', value);
  return value;
}

/** A string that is short in every sensible use: a date, a duration, an amount. */
export function shortText(args: Args, at: number): string {
  const text = stringAt(args, at);
  if (text.length > MAX_SHORT_TEXT) throw new BuiltinError(`operand ${at + 1} is too long`);
  return text;
}

export function numberAt(args: Args, at: number): RegoNumber {
  const value = args[at];
  if (!isNumber(value)) throw operandError(at, 'number', value);
  return value;
}

/** An integer of any size. */
export function integerAt(args: Args, at: number): bigint {
  const value = asInteger(numberAt(args, at));
  if (value === null) throw new BuiltinError(`operand ${at + 1} must be an integer`);
  return value;
}

/** An integer that can be a count or an index. */
export function countAt(args: Args, at: number): number {
  const value = Number(integerAt(args, at));
  if (!Number.isSafeInteger(value)) throw new BuiltinError(`operand ${at + 1} is out of range`);
  return value;
}

export function arrayAt(args: Args, at: number): readonly Value[] {
  const value = args[at];
  if (!isArray(value)) throw operandError(at, 'array', value);
  return value;
}

export function objectAt(args: Args, at: number): RegoObject {
  const value = args[at];
  if (!(value instanceof RegoObject)) throw operandError(at, 'object', value);
  return value;
}

export function setAt(args: Args, at: number): RegoSet {
  const value = args[at];
  if (!(value instanceof RegoSet)) throw operandError(at, 'set', value);
  return value;
}

export function collectionAt(args: Args, at: number): Collection {
  const value = args[at];
  if (!isCollection(value)) throw operandError(at, 'array, object or set', value);
  return value;
}

/** The elements of an array or a set. */
export function listAt(args: Args, at: number): readonly Value[] {
  const value = args[at];
  if (isArray(value)) return value;
  if (value instanceof RegoSet) return value.members();
  throw operandError(at, 'array or set', value);
}

/** The strings of an array or a set. */
export function stringsAt(args: Args, at: number): readonly string[] {
  return listAt(args, at).map((value) => {
    if (typeof value !== 'string') throw operandError(at, 'array or set of strings', value);
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
  if (value === undefined) throw operandError(at, 'value', value);
  return value;
}

/** Returns a function that tells whether `read` accepts its operands. */
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

export function operandError(at: number, wanted: string, value: Value | undefined): BuiltinError {
  const got = value === undefined ? 'nothing' : typeName(value);
  return new BuiltinError(`operand ${at + 1} must be ${wanted} but got ${got}`);
}

/**
 * Charges the budget for the text of a value before the text is built. The text is at most six times as long as charged,
 * because of escapes.
 */
export function payForText(value: Value, budget: Budget): void {
  budget.spend(weightOf(value));
  budget.string(leastLength(value, budget.limits.string));
}
