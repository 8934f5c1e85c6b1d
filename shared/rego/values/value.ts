import { asInteger, compareNumbers, Decimal, numberKey, type RegoNumber } from './decimal.ts';

/** A Rego value. A value never changes after the code that built it returned it. */
export type Value = null | boolean | string | RegoNumber | readonly Value[] | RegoObject | RegoSet;

/** The key of a value in a map. Equal values have equal keys. Plain scalars are their own keys. */
export type Key = null | boolean | string | number;

/** An object. Any value may be a key. Lookups use the {@link Key}, walks use the total order of values. */
export class RegoObject {
  private readonly entries = new Map<Key, readonly [Value, Value]>();
  private order: readonly (readonly [Value, Value])[] | null = null;
  private text: string | null = null;
  private weighed: number | null = null;

  static of(pairs: Iterable<readonly [Value, Value]>): RegoObject {
    const made = new RegoObject();
    for (const [key, value] of pairs) made.set(key, value);
    return made;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Value): Value | undefined {
    return this.entries.get(keyOf(key))?.[1];
  }

  has(key: Value): boolean {
    return this.entries.has(keyOf(key));
  }

  /** Only for the code that builds the object. Of equal keys the first stays, and the last value wins. */
  set(key: Value, value: Value): void {
    const id = keyOf(key);
    const old = this.entries.get(id);
    this.entries.set(id, old === undefined ? [key, value] : [old[0], value]);
    this.order = null;
    this.text = null;
    this.weighed = null;
  }

  /** Pairs in the order of their keys. */
  pairs(): readonly (readonly [Value, Value])[] {
    this.order ??= [...this.entries.values()].sort((a, b) => compare(a[0], b[0]));
    return this.order;
  }

  /** Pairs in the order in which they were added, for callers that do not care about order. */
  unordered(): IterableIterator<readonly [Value, Value]> {
    return this.entries.values();
  }

  weight(): number {
    if (this.weighed === null) {
      let sum = 1;
      for (const [key, value] of this.entries.values()) sum += weightOf(key) + weightOf(value);
      this.weighed = sum;
    }
    return this.weighed;
  }

  key(): string {
    this.text ??= `\u0000o${this.entries.size}:${this.pairs()
      .map(([key, value]) => sized(key) + sized(value))
      .join('')}`;
    return this.text;
  }
}

/** A set. Lookups use the {@link Key} of a member, walks use the total order of values. */
export class RegoSet {
  private readonly entries = new Map<Key, Value>();
  private order: readonly Value[] | null = null;
  private text: string | null = null;
  private weighed: number | null = null;

  static of(members: Iterable<Value>): RegoSet {
    const made = new RegoSet();
    for (const member of members) made.add(member);
    return made;
  }

  get size(): number {
    return this.entries.size;
  }

  has(member: Value): boolean {
    return this.entries.has(keyOf(member));
  }

  /** Only for the code that builds the set. Of equal members the first stays. */
  add(member: Value): void {
    const id = keyOf(member);
    if (this.entries.has(id)) return;
    this.entries.set(id, member);
    this.order = null;
    this.text = null;
    this.weighed = null;
  }

  /** Members in order. */
  members(): readonly Value[] {
    this.order ??= [...this.entries.values()].sort(compare);
    return this.order;
  }

  /** Members in the order in which they were added, for callers that do not care about order. */
  unordered(): IterableIterator<Value> {
    return this.entries.values();
  }

  weight(): number {
    if (this.weighed === null) {
      let sum = 1;
      for (const member of this.entries.values()) sum += weightOf(member);
      this.weighed = sum;
    }
    return this.weighed;
  }

  key(): string {
    this.text ??= `\u0000s${this.entries.size}:${this.members().map(sized).join('')}`;
    return this.text;
  }
}

export type Collection = readonly Value[] | RegoObject | RegoSet;

export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isNumber(value: Value | undefined): value is RegoNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal;
}

export function isCollection(value: Value | undefined): value is Collection {
  return isArray(value) || value instanceof RegoObject || value instanceof RegoSet;
}

/** Returns the key of a value. Two values have the same key exactly when they are equal. */
export function keyOf(value: Value): Key {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\u0000t${value}` : value;
  if (value === null || typeof value === 'boolean') return value;
  if (isNumber(value)) return numberKey(value);
  if (isArray(value)) return `\u0000a${value.length}:${value.map(sized).join('')}`;
  return value.key();
}

const ARRAY_WEIGHTS = new WeakMap<readonly Value[], number>();

/**
 * Returns the size of a value when it is written out: scalars and collections count one, strings one more per 16
 * characters. A shared part counts at each place. An array must not change after its weight was taken.
 */
export function weightOf(value: Value): number {
  if (typeof value === 'string') return 1 + (value.length >> 4);
  if (value === null || typeof value !== 'object' || value instanceof Decimal) return 1;
  if (!isArray(value)) return value.weight();
  const known = ARRAY_WEIGHTS.get(value);
  if (known !== undefined) return known;
  const weight = value.reduce((sum: number, element) => sum + weightOf(element), 1);
  ARRAY_WEIGHTS.set(value, weight);
  return weight;
}

/** Returns the elements of an array or a set, or null for another value. */
export function listOf(value: Value | undefined): readonly Value[] | null {
  if (isArray(value)) return value;
  return value instanceof RegoSet ? value.members() : null;
}

/** Returns the elements that `[_]` walks, in order. */
export function elements(collection: Collection): readonly Value[] {
  return collection instanceof RegoObject ? collection.pairs().map(([, value]) => value) : (listOf(collection) ?? []);
}

/** Returns `collection[key]`: an element by index, a value by key, a member by itself. Otherwise undefined. */
export function lookup(collection: Value, key: Value): Value | undefined {
  if (collection instanceof RegoObject) return collection.get(key);
  if (isArray(collection)) {
    if (typeof key === 'number') return collection[key];
    const index = isNumber(key) ? asInteger(key) : null;
    return index === null ? undefined : collection[Number(index)];
  }
  return collection instanceof RegoSet && collection.has(key) ? key : undefined;
}

/** Returns the number of elements. */
export function sizeOf(collection: Collection): number {
  return isArray(collection) ? collection.length : collection.size;
}

/** Returns the name of a value's type in Rego. */
export function typeName(value: Value): 'null' | 'boolean' | 'string' | 'number' | 'array' | 'object' | 'set' {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (isNumber(value)) return 'number';
  if (isArray(value)) return 'array';
  return value instanceof RegoSet ? 'set' : 'object';
}

function sized(value: Value): string {
  const key = keyOf(value);
  const text = typeof key === 'string' ? key : `${typeof key === 'number' ? '#' : '!'}${key}`;
  return `${typeof key === 'string' ? '' : '\u0000'}${text.length}:${text}`;
}

const RANK = { null: 0, boolean: 1, number: 2, string: 3, array: 4, object: 5, set: 6 } as const;

/**
 * Compares by Rego's total order: null, booleans, numbers, strings, arrays, objects, sets. Strings compare by code
 * point, collections by their elements in order, then by size.
 * @returns negative, zero or positive
 */
export function compare(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (isArray(a) && isArray(b)) return compareLists(a, b);
  if (a instanceof RegoSet && b instanceof RegoSet) return compareLists(a.members(), b.members());
  if (a instanceof RegoObject && b instanceof RegoObject) return compareObjects(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return RANK[typeName(a)] - RANK[typeName(b)];
}

/** Whether two values are equal in Rego: numbers by value, collections by their elements. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string' || typeof a === 'boolean' || typeof b === 'boolean') return false;
  if (typeof a === 'number' && typeof b === 'number') return false;
  if (isArray(a) && isArray(b) && a.length !== b.length) return false;
  if (a instanceof RegoObject && b instanceof RegoObject && a.size !== b.size) return false;
  if (a instanceof RegoSet && b instanceof RegoSet && a.size !== b.size) return false;
  return compare(a, b) === 0;
}

/** Compares strings by code point, which is the order of their UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return unitRank(x) - unitRank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other code unit. */
function unitRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const order = compare(a[at] ?? null, b[at] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: RegoObject, b: RegoObject): number {
  const left = a.pairs();
  const right = b.pairs();
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const x = left[at];
    const y = right[at];
    if (x === undefined || y === undefined) break;
    const order = compare(x[0], y[0]) || compare(x[1], y[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
