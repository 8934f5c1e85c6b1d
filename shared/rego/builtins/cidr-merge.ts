import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { RegoSet, type Value } from '../values/value.ts';
import { address, addressText } from './addresses.ts';
import { type Args, stringsAt } from './operands.ts';

/** Addresses of both kinds in one order: IPv4 addresses are a part of the IPv6 addresses. */
const IPV4 = 0xffffn << 32n;

/** A range of addresses, with its text if it is one of the operands unchanged. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
  readonly text: string | null;
}

/** Merges ranges that overlap or touch, and returns the fewest ranges that cover the same addresses. */
export function mergeRanges(args: Args, run: Run): Value {
  const ranges = stringsAt(args, 0).map(range);
  run.budget.spend(ranges.length * 20);
  ranges.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : a.last < b.last ? -1 : 1));
  const merged: Range[] = [];
  for (const one of ranges) {
    const before = merged.at(-1);
    if (before === undefined || one.first > before.last + 1n) merged.push(one);
    else merged[merged.length - 1] = { ...before, last: one.last > before.last ? one.last : before.last, text: null };
  }
  return RegoSet.of(merged.flatMap(texts));
}

function range(text: string): Range {
  const [host = '', size] = text.split('/', 2);
  const found = address(host);
  if (found === null || (size !== undefined && !/^(0|[1-9]\d{0,2})$/.test(size))) throw invalid(text);
  const value = found.bits === 32 ? IPV4 + found.value : found.value;
  const isShort = found.bits === 32 && !host.includes(':');
  if (size === undefined && found.bits === 128) throw new BuiltinError('IPv6 invalid: needs prefix length');
  const given = size === undefined ? classOf(found.value) : Number(size);
  const prefix = (isShort || size === undefined ? 96 : 0) + given;
  if (prefix > 128) throw invalid(text);
  const rest = BigInt(128 - prefix);
  const first = (value >> rest) << rest;
  // A single address keeps its own text and stands for the range of its class.
  const own = rangeText(size === undefined ? value : first, prefix);
  return { first, last: first + (1n << rest) - 1n, text: own };
}

const invalid = (text: string) => new BuiltinError(`not a valid address range: ${text.slice(0, 50)}`);

/** The size of the network that an IPv4 address without a prefix is in, by its first byte. */
function classOf(value: bigint): number {
  const first = value >> 24n;
  return first < 128n ? 8 : first < 192n ? 16 : 24;
}

function rangeText(value: bigint, prefix: number): string {
  const isShort = prefix >= 96 && value >> 32n === 0xffffn;
  return isShort ? `${addressText(32, value & 0xffffffffn)}/${prefix - 96}` : `${addressText(128, value)}/${prefix}`;
}

/** Splits a range into ranges that a prefix can name, the largest first. */
function texts({ first, last, text }: Range): string[] {
  if (text !== null) return [text];
  const made: string[] = [];
  for (let at = first; at <= last; ) {
    let bits = 0n;
    while (bits < 128n && (at & ((2n << bits) - 1n)) === 0n && at + (2n << bits) - 1n <= last) bits += 1n;
    made.push(rangeText(at, 128 - Number(bits)));
    at += 1n << bits;
  }
  return made;
}
