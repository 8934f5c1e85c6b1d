import { BuiltinError } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { asInteger } from '../values/decimal.ts';
import { leastLength } from '../values/text.ts';
import {
  isArray,
  isCollection,
  isNumber,
  listOf,
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

/** Returns a function that reads an operand of one type, and throws a BuiltinError when it has another. */
function operand<T extends Value>(wanted: string, is: (value: Value | undefined) => value is T) {
  return (args: Args, at: number): T => {
    const value = args[at];
    if (!is(value)) throw operandError(at, wanted, value);
    return value;
  };
}

export const stringAt = operand('string', (value) => typeof value === 'string');
export const numberAt = operand('number', isNumber);
export const arrayAt = operand('array', isArray);
export const objectAt = operand('object', (value) => value instanceof RegoObject);
export const setAt = operand('set', (value) => value instanceof RegoSet);
export const collectionAt = operand('array, object or set', isCollection);
export const valueAt = operand('value', (value) => value !== undefined);

/** A string that is short in every sensible use: a date, a duration, an amount. */
export function shortText(args: Args, at: number): string {
  const text = stringAt(args, at);
  if (text.length > MAX_SHORT_TEXT) throw new BuiltinError(`operand ${at + 1} is too long`);
  return text;
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

/** The elements of an array or a set. */
export function listAt(args: Args, at: number): readonly Value[] {
  const list = listOf(args[at]);
  if (list === null) throw operandError(at, 'array or set', args[at]);
  return list;
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

/** Returns a function that tells whether `read` accepts its operands. */
export function accepts<A extends readonly unknown[]>(read: (...args: A) => unknown): (...args: A) => boolean {
  return (...args) => {
    try {
      read(...args);
      return true;
    } catch (error) {
      if (error instanceof BuiltinError) return false;
      throw error;
    }
  };
}

/** Runs an action. Where it fails with an error of one kind, the operand is refused with a message. */
export function refusing<T, E extends Error>(
  kind: new (...args: never[]) => E,
  message: string | ((error: E) => string),
  action: () => T,
): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof kind) throw new BuiltinError(typeof message === 'string' ? message : message(error));
    throw error;
  }
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
