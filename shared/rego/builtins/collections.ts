import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { accumulate } from '../values/arithmetic.ts';
import { numberText } from '../values/decimal.ts';
import {
  compare,
  elements,
  isArray,
  isCollection,
  isNumber,
  keyOf,
  RegoObject,
  RegoSet,
  sizeOf,
  type Value,
} from '../values/value.ts';
import { type Args, arrayAt, collectionAt, countAt, listAt, operandError, setAt, valueAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Aggregates, arrays, sets and membership. */
export const COLLECTIONS: readonly Builtin[] = [
  ...theme('aggregates', [
    ['count', ['string|array|object|set'], 'number', count],
    ['sum', ['array|set'], 'number', (args, run) => fold(args, run, 'plus')],
    ['product', ['array|set'], 'number', (args, run) => fold(args, run, 'mul')],
    ['max', ['array|set'], 'any', (args, run) => extreme(args, run, 1)],
    ['min', ['array|set'], 'any', (args, run) => extreme(args, run, -1)],
    ['sort', ['array|set'], 'array', sort],
    ['internal.member_2', ['any', 'any'], 'boolean', member],
    ['internal.member_3', ['any', 'any', 'any'], 'boolean', memberAt],
  ]),
  ...theme('arrays', [
    ['array.concat', ['array', 'array'], 'array', concatenate],
    ['array.slice', ['array', 'number', 'number'], 'array', slice],
    ['array.reverse', ['array'], 'array', (args, run) => spendOn(run, arrayAt(args, 0)).toReversed()],
    ['array.flatten', ['array'], 'array', flatten],
  ]),
  ...theme('sets', [
    ['and', ['set', 'set'], 'set', (args, run) => intersect([setAt(args, 0), setAt(args, 1)], run)],
    ['or', ['set', 'set'], 'set', (args, run) => unite([setAt(args, 0), setAt(args, 1)], run)],
    ['intersection', ['set'], 'set', (args, run) => intersect(sets(args), run)],
    ['union', ['set'], 'set', (args, run) => unite(sets(args), run)],
  ]),
];

function spendOn(run: Run, list: readonly Value[]): readonly Value[] {
  run.budget.spend(list.length);
  return list;
}

function count(args: Args, run: Run): Value {
  const value = args[0];
  if (typeof value !== 'string') return sizeOf(collectionAt(args, 0));
  run.budget.string(value.length);
  let points = 0;
  for (const _ of value) points += 1;
  return points;
}

function fold(args: Args, run: Run, operation: 'plus' | 'mul'): Value {
  let digits = 0;
  const numbers = spendOn(run, listAt(args, 0)).map((value) => {
    if (!isNumber(value)) throw operandError(0, 'array or set of numbers', value);
    digits += numberText(value).length;
    // Each multiplication may process all digits so far.
    if (operation === 'mul' && digits > 20) run.budget.spend(Math.ceil(digits / 16));
    return value;
  });
  const result = accumulate(operation, numbers);
  if (result === null) throw new BuiltinError('number out of range');
  return result;
}

function extreme(args: Args, run: Run, sign: 1 | -1): Value | undefined {
  let found: Value | undefined;
  for (const value of spendOn(run, listAt(args, 0))) {
    if (found === undefined || compare(value, found) * sign >= 0) found = value;
  }
  return found;
}

function sort(args: Args, run: Run): Value {
  const value = args[0];
  if (value instanceof RegoSet) return spendOn(run, value.members());
  const list = spendOn(run, listAt(args, 0));
  run.budget.spend(list.length * Math.ceil(Math.log2(list.length + 1)));
  return list.toSorted(compare);
}

function member(args: Args, run: Run): Value {
  const wanted = valueAt(args, 0);
  const collection = args[1];
  if (collection instanceof RegoSet) return collection.has(wanted);
  if (!isCollection(collection)) return false;
  const key = keyOf(wanted);
  return spendOn(run, elements(collection)).some((element) => keyOf(element) === key);
}

function memberAt(args: Args): Value {
  const key = valueAt(args, 0);
  const wanted = valueAt(args, 1);
  const collection = args[2];
  let found: Value | undefined;
  if (collection instanceof RegoObject) found = collection.get(key);
  else if (collection instanceof RegoSet) found = collection.has(key) ? key : undefined;
  else if (isArray(collection) && typeof key === 'number') found = collection[key];
  return found !== undefined && keyOf(found) === keyOf(wanted);
}

function concatenate(args: Args, run: Run): Value {
  const left = arrayAt(args, 0);
  const right = arrayAt(args, 1);
  run.budget.collection(left.length + right.length);
  return [...spendOn(run, left), ...spendOn(run, right)];
}

function slice(args: Args, run: Run): Value {
  const list = arrayAt(args, 0);
  const from = Math.max(0, countAt(args, 1));
  const to = Math.min(list.length, Math.max(0, countAt(args, 2)));
  return spendOn(run, from < to ? list.slice(from, to) : []);
}

function flatten(args: Args, run: Run): Value {
  const flat = arrayAt(args, 0).flatMap((item) => (isArray(item) ? spendOn(run, item) : [item]));
  run.budget.collection(flat.length);
  return spendOn(run, flat);
}

function sets(args: Args): RegoSet[] {
  return setAt(args, 0)
    .members()
    .map((set) => {
      if (!(set instanceof RegoSet)) throw operandError(0, 'set of sets', set);
      return set;
    });
}

function intersect(all: readonly RegoSet[], run: Run): Value {
  const [first, ...others] = all;
  if (first === undefined) return new RegoSet();
  run.budget.spend(first.size * all.length);
  return RegoSet.of([...first.unordered()].filter((value) => others.every((set) => set.has(value))));
}

function unite(all: readonly RegoSet[], run: Run): Value {
  const made = new RegoSet();
  for (const set of all) {
    run.budget.spend(set.size);
    for (const value of set.unordered()) made.add(value);
  }
  run.budget.collection(made.size);
  return made;
}
