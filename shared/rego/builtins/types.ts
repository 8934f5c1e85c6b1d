import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from 'node:crypto';
import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { bytesOfText } from '../values/bytes.ts';
import { asDouble, Decimal, integer, parseNumber } from '../values/decimal.ts';
import { isNumber, RegoObject, typeName, type Value } from '../values/value.ts';
import { type Args, operandError, shortText, stringAt, valueAt } from './operands.ts';
import { type Builtin, type Row, theme } from './registry.ts';

/** Types, conversions, units, identifiers and digests. */
export const TYPES: readonly Builtin[] = [
  ...theme('types', [
    ['type_name', ['any'], 'string', (args) => typeName(valueAt(args, 0))],
    ...(['array', 'boolean', 'null', 'number', 'object', 'set', 'string'] as const).map(
      (name): Row => [`is_${name}`, ['any'], 'boolean', (args) => typeName(valueAt(args, 0)) === name],
    ),
    ['to_number', ['null|boolean|number|string'], 'number', toNumber],
  ]),
  ...theme('units', [
    ['units.parse', ['string'], 'number', parseUnits],
    ['units.parse_bytes', ['string'], 'number', parseBytes],
  ]),
  ...theme('uuid', [['uuid.parse', ['string'], 'object', parseUuid]]),
  ...theme('crypto', [
    ...['md5', 'sha1', 'sha256'].map((name) => digest(`crypto.${name}`, ['string'], () => createHash(name))),
    ...['md5', 'sha1', 'sha256', 'sha512'].map((name) =>
      digest(`crypto.hmac.${name}`, ['string', 'string'], (key) => createHmac(name, key)),
    ),
    ['crypto.hmac.equal', ['string', 'string'], 'boolean', sameMac],
  ]),
  ...theme('debugging', [['trace', ['string'], 'boolean', (args) => stringAt(args, 0) !== undefined]]),
];

/** A digest of the first operand. The second one, if there is one, is the key. */
function digest(name: string, operands: readonly string[], start: (key: Buffer) => Hash | Hmac): Row {
  const apply = (args: Args, run: Run) => {
    const text = stringAt(args, 0);
    run.budget.string(text.length);
    const key = bytesOfText(operands.length > 1 ? stringAt(args, 1) : '');
    return start(key).update(bytesOfText(text)).digest('hex');
  };
  return [name, operands, 'string', apply];
}

function toNumber(args: Args): Value {
  const value = args[0];
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (isNumber(value)) return value;
  if (typeof value !== 'string') throw operandError(0, 'null, boolean, number or string', value);
  const text = value.replace(/^\+/, '');
  const padded = text.replace(/^(-?)\./, '$10.').replace(/\.(?=$|[eE])/, '');
  const number = /^-?(\d|\.\d)/.test(text) ? parseNumber(padded) : null;
  if (number === null || !Number.isFinite(asDouble(number))) throw new BuiltinError('invalid syntax');
  return number;
}

/** What counts as part of the amount: an `e` only if digits or a sign follow. */
const AMOUNT = /^(?:[\d.+-]|[eE](?:[+-]|(?=\d)))*/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4, p: 5, e: 6 };

function parsed(args: Args): { amount: string; unit: string } {
  const text = shortText(args, 0).replaceAll('"', '');
  if (text.includes(' ')) throw new BuiltinError('spaces not allowed in resource strings');
  const [amount = ''] = AMOUNT.exec(text) ?? [];
  const unit = text.slice(amount.length);
  if (!NUMBER.test(amount)) throw new BuiltinError('could not parse amount to a number');
  return {
    amount: amount
      .replace(/^\+/, '')
      .replace(/\.(?=$|[eE])/, '')
      .replace(/^(-?)\./, '$10.'),
    unit,
  };
}

/** Reads an amount with a unit. `m` is a thousandth and `M` a million. Other units may have either case. */
function parseUnits(args: Args): Value {
  const { amount, unit } = parsed(args);
  if (unit === 'm') return scaled(amount, 1, 1000);
  return scaled(amount, factorOf(unit, /^([kmgtpe])(i?)$/i, 'unit'), 1);
}

function parseBytes(args: Args): Value {
  const { amount, unit } = parsed(args);
  return whole(amount, factorOf(unit, /^([kmgtpe])(i?)b?$/i, 'byte unit'));
}

function factorOf(unit: string, form: RegExp, what: string): number {
  if (unit === '') return 1;
  const [, letter = '', binary] = form.exec(unit) ?? [];
  const power = POWERS[letter.toLowerCase()];
  if (power === undefined) throw new BuiltinError(`${what} ${unit} not recognized`);
  return (binary === '' ? 1000 : 1024) ** power;
}

function exactly(amount: string): { coefficient: bigint; exponent: number } {
  const number = parseNumber(amount);
  if (number === null) throw new BuiltinError('could not parse amount to a number');
  return number instanceof Decimal ? number : { coefficient: BigInt(number), exponent: 0 };
}

/** Returns amount × factor ÷ divisor: an integer, or a fraction with ten digits. */
function scaled(amount: string, factor: number, divisor: number): Value {
  const { coefficient, exponent } = exactly(amount);
  const top = coefficient * BigInt(factor) * 10n ** BigInt(Math.max(0, exponent));
  const bottom = BigInt(divisor) * 10n ** BigInt(Math.max(0, -exponent));
  if (top % bottom === 0n) return integer(top / bottom);
  const sign = top < 0n ? '-' : '';
  const size = ((top < 0n ? -top : top) * 20_000_000_000n + bottom) / (bottom * 2n);
  const digits = size.toString().padStart(11, '0');
  return parseNumber(`${sign}${digits.slice(0, -10)}.${digits.slice(-10)}`) ?? 0;
}

function whole(amount: string, factor: number): Value {
  const { coefficient, exponent } = exactly(amount);
  const top = coefficient * BigInt(factor) * 10n ** BigInt(Math.max(0, exponent));
  return integer(top / 10n ** BigInt(Math.max(0, -exponent)));
}

function sameMac(args: Args): Value {
  const left = bytesOfText(stringAt(args, 0));
  const right = bytesOfText(stringAt(args, 1));
  return left.length === right.length && timingSafeEqual(left, right);
}

const UUID = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{2})([0-9a-f]{2})\2([0-9a-f]{12})$/i;
const EPOCH = 122_192_928_000_000_000n;

/** Returns version and variant of an identifier, and further parts of time-based identifiers. */
function parseUuid(args: Args): Value | undefined {
  const text = stringAt(args, 0).replace(/^urn:uuid:(?=.{36}$)/i, '');
  // The reference takes 38 characters as an identifier in braces, whatever the first and the last one are.
  const bare = text.length === 38 ? text.slice(1, -1) : text;
  const [, low = '', dash, mid = '', high = '', clock = '', clockLow = '', node = ''] = UUID.exec(bare) ?? [];
  if (node === '' || (text.length === 38 && dash === '')) return undefined;
  const version = Number.parseInt(high.slice(0, 1), 16);
  const bits = Number.parseInt(clock, 16);
  const variant = bits < 0x80 ? 'Reserved' : bits < 0xc0 ? 'RFC4122' : bits < 0xe0 ? 'Microsoft' : 'Future';
  const made = RegoObject.of([
    ['version', version],
    ['variant', variant],
  ]);
  if (version !== 1 && version !== 2) return made;
  const first = Number.parseInt(node.slice(0, 2), 16);
  made.set('nodeid', (node.match(/../g) ?? []).join('-').toLowerCase());
  made.set('macvariables', `${first & 2 ? 'local' : 'global'}:${first & 1 ? 'multicast' : 'unicast'}`);
  made.set('clocksequence', Number.parseInt(clock + clockLow, 16) & 0x3fff);
  const ticks = BigInt(`0x${(Number.parseInt(high, 16) & 0xfff).toString(16).padStart(4, '0')}${mid}${low}`);
  made.set('time', integer(BigInt.asIntN(64, (ticks - EPOCH) * 100n)));
  if (version === 2) {
    made.set('id', Number.parseInt(low, 16));
    made.set(
      'domain',
      ['Person', 'Group', 'Org'][Number.parseInt(clockLow, 16)] ?? `Domain${Number.parseInt(clockLow, 16)}`,
    );
  }
  return made;
}
