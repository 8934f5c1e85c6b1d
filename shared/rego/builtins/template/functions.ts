import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { compareNumbers, numberText } from '../../values/decimal.ts';
import { compareStrings, isArray, isCollection, isNumber, RegoObject, sizeOf, type Value } from '../../values/value.ts';
import { escapeQuery } from '../encoding.ts';
import { stringAt } from '../operands.ts';
import { format } from '../sprintf.ts';

/** Whether a value counts as true: it is not empty, zero or nothing. */
export function isTrue(value: Value): boolean {
  if (isCollection(value)) return sizeOf(value) > 0;
  return isNumber(value) ? compareNumbers(value, 0) !== 0 : value !== null && value !== false && value !== '';
}

/** Writes a value as Go prints it. */
export function printed(value: Value): string {
  if (value === null) return '<nil>';
  if (isNumber(value)) return numberText(value);
  if (isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (value instanceof RegoObject)
    return `map[${Array.from(value.pairs(), ([key, one]) => `${printed(key)}:${printed(one)}`).join(' ')}]`;
  return String(value);
}

type Apply = (args: readonly Value[], run: Run) => Value;

function one(args: readonly Value[]): Value {
  const [value] = args;
  if (value === undefined || args.length > 1) throw new BuiltinError('wrong number of args: want 1');
  return value;
}

/** Compares two values of one kind. */
function order(args: readonly Value[]): number {
  const [a, b] = args;
  if (args.length === 2 && isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (args.length === 2 && typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  throw new BuiltinError('incompatible types for comparison');
}

function isEqual(a: Value, b: Value): boolean {
  if (isCollection(a) || isCollection(b)) throw new BuiltinError('non-comparable types');
  if (a === null || b === null) return a === b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b;
  return order([a, b]) === 0;
}

const joined: Apply = (args) =>
  args.reduce<string>((text, value, at) => {
    const before = args[at - 1];
    const space = at > 0 && typeof value !== 'string' && typeof before !== 'string' ? ' ' : '';
    return `${text}${space}${printed(value)}`;
  }, '');

const ENTITIES: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\ufffd',
};

/** Functions of templates, by name. `and` and `or` are not among them: they evaluate only what they need. */
export const FUNCTIONS: Readonly<Partial<Record<string, Apply>>> = {
  not: (args) => !isTrue(one(args)),
  len: (args) => {
    const value = one(args);
    if (typeof value === 'string') return Buffer.byteLength(value);
    if (!isCollection(value)) throw new BuiltinError('len of this type');
    return sizeOf(value);
  },
  index: ([value, ...keys]) => keys.reduce<Value>(element, value ?? null),
  eq: ([first, ...others]) => {
    if (first === undefined || others.length === 0) throw new BuiltinError('missing argument for comparison');
    return others.some((other) => isEqual(first, other));
  },
  ne: (args) => !isEqual(args[0] ?? null, args[1] ?? null),
  lt: (args) => order(args) < 0,
  le: (args) => order(args) <= 0,
  gt: (args) => order(args) > 0,
  ge: (args) => order(args) >= 0,
  print: joined,
  printf: ([pattern, ...operands], { budget }) => format(stringAt([pattern ?? null], 0), operands, budget),
  println: (args) => `${args.map(printed).join(' ')}\n`,
  html: (args, run) => String(joined(args, run)).replace(/["'&<>\0]/g, (mark) => ENTITIES[mark] ?? mark),
  urlquery: (args, run) => escapeQuery(String(joined(args, run))),
  slice: ([value, from = 0, to]) => {
    const list = typeof value === 'string' ? Buffer.from(value) : isArray(value) ? value : [];
    const [start, end] = [Number(from), to === undefined ? list.length : Number(to)];
    if (!(start >= 0 && start <= end && end <= list.length)) throw new BuiltinError('slice index out of range');
    return typeof value === 'string'
      ? Buffer.from(value).subarray(start, end).toString('utf8')
      : // A value that is no text is a list here; the compiler does not link the two.
        (list as readonly Value[]).slice(start, end);
  },
};

function element(value: Value, key: Value): Value {
  if (value instanceof RegoObject) return value.get(key) ?? null;
  const found = isArray(value) && isNumber(key) ? value[Number(key)] : undefined;
  if (found === undefined) throw new BuiltinError('index out of range');
  return found;
}
