import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { isArray, RegoObject, RegoSet, type Value } from '../values/value.ts';
import { address, addressText } from './addresses.ts';
import { mergeRanges } from './cidr-merge.ts';
import { type Args, stringAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Address ranges and version numbers. */
export const NETWORKS: readonly Builtin[] = [
  ...theme('net', [
    ['net.cidr_contains', ['string', 'string'], 'boolean', contains],
    ['net.cidr_contains_matches', ['any', 'any'], 'set', containsMatches],
    ['net.cidr_intersects', ['string', 'string'], 'boolean', intersects],
    ['net.cidr_is_valid', ['any'], 'boolean', (args) => typeof args[0] === 'string' && network(args[0]) !== null],
    ['net.cidr_merge', ['array|set'], 'set', mergeRanges],
    ['net.cidr_expand', ['string'], 'set', expand],
  ]),
  ...theme('semver', [
    ['semver.is_valid', ['any'], 'boolean', (args) => typeof args[0] === 'string' && version(args[0]) !== null],
    ['semver.compare', ['string', 'string'], 'number', compareVersions],
  ]),
];

interface Network {
  readonly bits: 32 | 128;
  readonly prefix: number;
  /** The first address of the range. */
  readonly base: bigint;
}

function network(text: string): Network | null {
  const [, host = '', size = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const found = address(host);
  const prefix = Number(size);
  if (found === null || size === '' || prefix > found.bits || (size.length > 1 && size.startsWith('0'))) return null;
  const rest = BigInt(found.bits - prefix);
  return { bits: found.bits, prefix, base: (found.value >> rest) << rest };
}

function networkOf(text: string): Network {
  const found = network(text);
  if (found === null) throw new BuiltinError(`not a valid address range: ${text.slice(0, 50)}`);
  return found;
}

/** Reads a range. A single address is a range of one. */
function either(text: string): Network {
  const found = address(text);
  return found === null ? networkOf(text) : { bits: found.bits, prefix: found.bits, base: found.value };
}

function covers(outer: Network, inner: Network): boolean {
  if (outer.bits !== inner.bits || outer.prefix > inner.prefix) return false;
  return inner.base >> BigInt(outer.bits - outer.prefix) === outer.base >> BigInt(outer.bits - outer.prefix);
}

function contains(args: Args): Value {
  return covers(networkOf(stringAt(args, 0)), either(stringAt(args, 1)));
}

function intersects(args: Args): Value {
  const a = networkOf(stringAt(args, 0));
  const b = networkOf(stringAt(args, 1));
  return covers(a, b) || covers(b, a);
}

/** Lists the operands of `net.cidr_contains_matches`, each with the key that names it in a match. */
function listed(value: Value | undefined): (readonly [Value, string])[] {
  const text = (one: Value): string => {
    const first = isArray(one) ? one[0] : one;
    if (typeof first !== 'string') throw new BuiltinError('expected strings or arrays that begin with one');
    return first;
  };
  if (typeof value === 'string') return [[value, value]];
  if (isArray(value)) return value.map((one, at) => [at, text(one)] as const);
  if (value instanceof RegoSet) return value.members().map((one) => [one, text(one)] as const);
  if (value instanceof RegoObject) return value.pairs().map(([key, one]) => [key, text(one)] as const);
  throw new BuiltinError('expected a string or a collection');
}

function containsMatches(args: Args, run: Run): Value {
  const ranges = listed(args[0]).map(([key, text]) => [key, networkOf(text)] as const);
  const candidates = listed(args[1]).map(([key, text]) => [key, either(text)] as const);
  const found = new RegoSet();
  for (const [rangeKey, range] of ranges) {
    run.budget.spend(candidates.length);
    for (const [key, candidate] of candidates) if (covers(range, candidate)) found.add([rangeKey, key]);
    run.budget.collection(found.size);
  }
  return found;
}

function expand(args: Args, run: Run): Value {
  const { bits, prefix, base } = networkOf(stringAt(args, 0));
  const size = 2 ** (bits - prefix);
  run.budget.collection(size);
  run.budget.spend(size);
  const made = new RegoSet();
  for (let at = 0; at < size; at += 1) made.add(addressText(bits, base + BigInt(at)));
  return made;
}

interface Version {
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
}

const VERSION =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function version(text: string): Version | null {
  const [, major, minor, patch, pre] = VERSION.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return null;
  return { numbers: [major, minor, patch].map(BigInt), pre: pre === undefined ? [] : pre.split('.') };
}

function compareVersions(args: Args): Value {
  const [a, b] = [stringAt(args, 0), stringAt(args, 1)].map((text) => {
    const found = version(text);
    if (found === null) throw new BuiltinError(`not a valid version: ${text.slice(0, 50)}`);
    return found;
  });
  if (a === undefined || b === undefined) return 0;
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let at = 0; at < Math.min(a.pre.length, b.pre.length); at += 1) {
    const order = compareParts(a.pre[at] ?? '', b.pre[at] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** Compares two parts of a pre-release version: numbers come before words, numbers by value, words by code unit. */
function compareParts(a: string, b: string): number {
  const numeric = [a, b].map((part) => /^\d+$/.test(part));
  if (numeric[0] && numeric[1]) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
