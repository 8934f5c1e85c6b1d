/**
 * A number whose text is no plain integer (`1.5`, `1.0`, `1e3`). Its exact value is `coefficient` × 10^`exponent`; the
 * coefficient has no zeros at its end. The text stays for output, because OPA prints literals as they were written.
 */
export class Decimal {
  readonly text: string;
  readonly coefficient: bigint;
  readonly exponent: number;

  constructor(text: string, coefficient: bigint, exponent: number) {
    this.text = text;
    this.coefficient = coefficient;
    this.exponent = exponent;
  }
}

/** Integers within ±(2^53−1) are `number`, larger integers `bigint`, all other numbers {@link Decimal}. */
export type RegoNumber = number | bigint | Decimal;

/** An exact decimal: `coefficient` × 10^`exponent`. */
interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Largest exponent. Exact comparison writes out that many digits. */
const MAX_EXPONENT = 1000;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Reads a JSON number.
 * @returns null where the text is no number, or a number beyond {@link MAX_EXPONENT}
 */
export function parseNumber(text: string): RegoNumber | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction, power] = match;
  if (whole.length > MAX_EXPONENT || (fraction?.length ?? 0) > MAX_EXPONENT) return null;
  if (fraction === undefined && power === undefined && text !== '-0') return integer(BigInt(text));
  const exponent = Number(power ?? '0') - (fraction?.length ?? 0);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  return new Decimal(text, ...normal(BigInt(`${sign}${whole}${fraction ?? ''}`), exponent));
}

/** Returns the number of a double's shortest text, which is how OPA reads doubles from JSON. */
export function numberOfDouble(value: number): RegoNumber {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value;
  const parsed = parseNumber(Object.is(value, -0) ? '-0' : String(value));
  if (parsed === null) throw new TypeError(`no finite number: ${value}`);
  return parsed;
}

/** Returns an integer as `number` where it fits, else as `bigint`. */
export function integer(value: bigint): RegoNumber {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** Returns the exact value, without zeros at the coefficient's end. */
export function exact(value: RegoNumber): Exact {
  if (value instanceof Decimal) return value;
  const [coefficient, exponent] = normal(BigInt(value), 0);
  return { coefficient, exponent };
}

/** @returns the integer, or null where the number has a fraction */
export function asInteger(value: RegoNumber): bigint | null {
  if (!(value instanceof Decimal)) return BigInt(value);
  return value.exponent < 0 ? null : value.coefficient * 10n ** BigInt(value.exponent);
}

/** Returns the nearest double, which is infinite beyond the range of doubles. */
export function asDouble(value: RegoNumber): number {
  return value instanceof Decimal ? Number(value.text) : Number(value);
}

/** Returns the text that OPA prints for the number inside values and in JSON. */
export function numberText(value: RegoNumber): string {
  return value instanceof Decimal ? value.text : String(value);
}

/** Compares two numbers exactly. The result is negative, zero or positive. */
export function compareNumbers(a: RegoNumber, b: RegoNumber): number {
  if (!(a instanceof Decimal) && !(b instanceof Decimal)) return a < b ? -1 : a > b ? 1 : 0;
  const x = exact(a);
  const y = exact(b);
  const least = Math.min(x.exponent, y.exponent);
  const left = x.coefficient * 10n ** BigInt(x.exponent - least);
  const right = y.coefficient * 10n ** BigInt(y.exponent - least);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the key of a number. Equal numbers have the same key, whatever their text. */
export function numberKey(value: RegoNumber): number | string {
  if (typeof value === 'number') return value;
  const { coefficient, exponent } = exact(value);
  if (exponent >= 0 && exponent < 16) {
    const small = Number(coefficient * 10n ** BigInt(exponent));
    if (Number.isSafeInteger(small)) return small;
  }
  return `\u0000n${coefficient}e${exponent}`;
}

function normal(coefficient: bigint, exponent: number): [bigint, number] {
  if (coefficient === 0n) return [0n, 0];
  const text = coefficient.toString();
  let zeros = 0;
  while (text.charCodeAt(text.length - 1 - zeros) === 48) zeros += 1;
  return zeros === 0 ? [coefficient, exponent] : [BigInt(text.slice(0, text.length - zeros)), exponent + zeros];
}
