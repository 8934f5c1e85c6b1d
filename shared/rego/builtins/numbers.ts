import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { abs, calculate, ceil, floor, type Operation, remainder, round } from '../values/arithmetic.ts';
import { asInteger, integer, type RegoNumber } from '../values/decimal.ts';
import { compare, equal, RegoSet, type Value } from '../values/value.ts';
import { type Args, integerAt, numberAt, setAt, valueAt } from './operands.ts';
import { type Builtin, type Row, theme } from './registry.ts';

/** Bits of the result of a shift. */
const MAX_BITS = 65_536n;

/** Comparison, arithmetic, ranges and bits. */
export const NUMBERS: readonly Builtin[] = [
  ...theme('comparison', [
    ordered('equal', (order) => order === 0),
    ordered('neq', (order) => order !== 0),
    ordered('lt', (order) => order < 0),
    ordered('lte', (order) => order <= 0),
    ordered('gt', (order) => order > 0),
    ordered('gte', (order) => order >= 0),
  ]),
  ...theme('numbers', [
    arithmetic('plus'),
    ['minus', ['number|set', 'number|set'], 'number|set', minus],
    arithmetic('mul'),
    ['div', ['number', 'number'], 'number', divide],
    ['rem', ['number', 'number'], 'number', modulo],
    ['round', ['number'], 'number', (args) => round(numberAt(args, 0))],
    ['ceil', ['number'], 'number', (args) => ceil(numberAt(args, 0))],
    ['floor', ['number'], 'number', (args) => floor(numberAt(args, 0))],
    ['abs', ['number'], 'number', (args) => abs(numberAt(args, 0)) ?? 0],
    ['numbers.range', ['number', 'number'], 'array', range],
    ['numbers.range_step', ['number', 'number', 'number'], 'array', range],
  ]),
  ...theme('bits', [
    bits('bits.and', (a, b) => a & b),
    bits('bits.or', (a, b) => a | b),
    bits('bits.xor', (a, b) => a ^ b),
    ['bits.negate', ['number'], 'number', (args, run) => integer(~paidInteger(args, 0, run))],
    ['bits.lsh', ['number', 'number'], 'number', shiftLeft],
    ['bits.rsh', ['number', 'number'], 'number', (args, run) => integer(paidInteger(args, 0, run) >> shift(args))],
  ]),
];

function ordered(name: string, holds: (order: number) => boolean): Row {
  const equality = name === 'equal' || name === 'neq';
  return [
    name,
    ['any', 'any'],
    'boolean',
    (args) => {
      const a = valueAt(args, 0);
      const b = valueAt(args, 1);
      return equality ? holds(equal(a, b) ? 0 : 1) : holds(compare(a, b));
    },
  ];
}

function arithmetic(operation: Operation): Row {
  return [operation, ['number', 'number'], 'number', (args, run) => calculateInBudget(operation, args, run)];
}

/** Calculates after the budget was charged for the digits of large operands. */
function calculateInBudget(operation: Operation, args: Args, run: Run): RegoNumber {
  const a = numberAt(args, 0);
  const b = numberAt(args, 1);
  if (typeof a === 'bigint' || typeof b === 'bigint') run.budget.string(digits(a) + digits(b));
  const result = calculate(operation, a, b);
  if (result === null) throw new BuiltinError('number out of range');
  return result;
}

/** An upper bound of the digits of an integer, which is also a bound of the work that it costs. */
export function digits(value: RegoNumber): number {
  return typeof value === 'bigint' ? value.toString(16).length * 2 : 20;
}

function minus(args: Args, run: Run): Value {
  if (!(args[0] instanceof RegoSet)) return calculateInBudget('minus', args, run);
  const right = setAt(args, 1);
  run.budget.spend(args[0].size);
  return RegoSet.of([...args[0].unordered()].filter((member) => !right.has(member)));
}

function divide(args: Args, run: Run): Value {
  if (asInteger(numberAt(args, 1)) === 0n) throw new BuiltinError('divide by zero');
  return calculateInBudget('div', args, run);
}

function modulo(args: Args): Value {
  const b = integerAt(args, 1);
  integerAt(args, 0);
  if (b === 0n) throw new BuiltinError('modulo by zero');
  return remainder(numberAt(args, 0), numberAt(args, 1)) ?? 0;
}

function range(args: Args, run: Run): Value {
  const step = args.length > 2 ? integerAt(args, 2) : 1n;
  const from = integerAt(args, 0);
  const to = integerAt(args, 1);
  if (step <= 0n) throw new BuiltinError('step must be a positive integer');
  const distance = from <= to ? to - from : from - to;
  const size = Number(distance / step) + 1;
  run.budget.collection(size);
  run.budget.spend(size);
  const direction = from <= to ? step : -step;
  return Array.from({ length: size }, (_, at) => integer(from + direction * BigInt(at)));
}

/** Reads an integer, after the budget was charged for its digits. */
function paidInteger(args: Args, at: number, run: Run): bigint {
  run.budget.string(digits(numberAt(args, at)));
  return integerAt(args, at);
}

/** Bits of a hexadecimal digit. */
const DIGIT_BITS = 4n;

function shiftLeft(args: Args, run: Run): RegoNumber {
  const places = shift(args);
  run.budget.string(digits(numberAt(args, 0)) + Number(places / DIGIT_BITS));
  return integer(integerAt(args, 0) << places);
}

function bits(name: string, combine: (a: bigint, b: bigint) => bigint): Row {
  return [
    name,
    ['number', 'number'],
    'number',
    (args, run) => integer(combine(paidInteger(args, 0, run), paidInteger(args, 1, run))),
  ];
}

function shift(args: Args): bigint {
  const places = integerAt(args, 1);
  if (places < 0n) throw new BuiltinError('shift must not be negative');
  if (places > MAX_BITS) throw new BuiltinError(`shift must not be above ${MAX_BITS}`);
  return places;
}
