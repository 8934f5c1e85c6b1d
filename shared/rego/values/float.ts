import { exact, parseNumber, type RegoNumber } from './decimal.ts';

/** A binary floating-point number: mantissa × 2^power. The mantissa is below 2^bits. */
export interface Float {
  readonly mantissa: bigint;
  readonly power: number;
}

/** Bits of the mantissa of OPA's own floating-point numbers. */
export const WIDE = 64;

/** Bits of the mantissa of a double. */
export const DOUBLE = 53;

/** Calculates and rounds the result to `bits` bits. */
export function combine(operation: 'plus' | 'minus' | 'mul' | 'div', a: Float, b: Float, bits = WIDE): Float {
  if (operation === 'mul') return rounded(a.mantissa * b.mantissa, a.power + b.power, bits);
  if (operation === 'div') return divided(a, b);
  const least = Math.min(a.power, b.power);
  const left = a.mantissa << BigInt(a.power - least);
  const right = b.mantissa << BigInt(b.power - least);
  return rounded(operation === 'plus' ? left + right : left - right, least, bits);
}

function divided(a: Float, b: Float): Float {
  const shift = 2 * WIDE + 2;
  const numerator = a.mantissa << BigInt(shift);
  const quotient = numerator / b.mantissa;
  const sticky = quotient * b.mantissa === numerator ? 0n : 1n;
  const sign = quotient < 0n ? -1n : 1n;
  return rounded((quotient << 1n) + sign * sticky, a.power - b.power - shift - 1);
}

/** Rounds to a number of bits, halves to even. */
function rounded(mantissa: bigint, power: number, bits = WIDE): Float {
  const negative = mantissa < 0n;
  const size = negative ? -mantissa : mantissa;
  const excess = bitLength(size) - bits;
  if (excess <= 0) return { mantissa, power };
  const unit = 1n << BigInt(excess);
  const rest = size & (unit - 1n);
  let kept = size >> BigInt(excess);
  const half = unit >> 1n;
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  return { mantissa: negative ? -kept : kept, power: power + excess };
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** Returns the nearest floating-point number. */
export function toFloat(value: RegoNumber): Float {
  const { coefficient, exponent } = exact(value);
  if (exponent >= 0) return rounded(coefficient * 10n ** BigInt(exponent), 0);
  return ratio(coefficient, 10n ** BigInt(-exponent));
}

function ratio(numerator: bigint, denominator: bigint, bits = WIDE): Float {
  const shift = Math.max(0, bitLength(denominator) + WIDE + 2);
  const scaled = numerator << BigInt(shift);
  const quotient = scaled / denominator;
  const sticky = quotient * denominator === scaled ? 0n : 1n;
  const sign = numerator < 0n ? -1n : 1n;
  return rounded((quotient << 1n) + sign * sticky, -shift - 1, bits);
}

/** Returns a floating-point number with its shortest text, or null where it is out of range. */
export function toNumber(value: Float, bits = WIDE): RegoNumber | null {
  if (value.mantissa === 0n) return 0;
  const { digits, point } = shortest(value, bits);
  const sign = value.mantissa < 0n ? '-' : '';
  const isInteger = value.power >= 0 || value.mantissa % (1n << BigInt(-value.power)) === 0n;
  return isInteger ? parseNumber(sign + digits.padEnd(point, '0')) : parseNumber(sign + general(digits, point));
}

/** Returns the shortest decimal digits that read back as the same number: 0.`digits` × 10^`point`. */
function shortest({ mantissa, power }: Float, bits: number): { digits: string; point: number } {
  const size = mantissa < 0n ? -mantissa : mantissa;
  const numerator = power >= 0 ? size << BigInt(power) : size;
  const denominator = power >= 0 ? 1n : 1n << BigInt(-power);
  let point = Math.floor((bitLength(size) + power) * Math.LOG10E * Math.LN2) + 1;
  while (below(numerator, denominator, point - 1)) point -= 1;
  while (!below(numerator, denominator, point)) point += 1;
  const target = rounded(size, power, bits);
  for (let count = 1; ; count += 1) {
    const scale = count - point;
    const top = scale >= 0 ? numerator * 10n ** BigInt(scale) : numerator;
    const bottom = scale >= 0 ? denominator : denominator * 10n ** BigInt(-scale);
    const digits = (top * 2n + bottom) / (bottom * 2n);
    const back =
      scale >= 0 ? ratio(digits, 10n ** BigInt(scale), bits) : rounded(digits * 10n ** BigInt(-scale), 0, bits);
    if (!same(back, target)) continue;
    const text = digits.toString();
    return { digits: text.replace(/0+$/, ''), point: point + text.length - count };
  }
}

/** Whether numerator/denominator < 10^point. */
function below(numerator: bigint, denominator: bigint, point: number): boolean {
  return point >= 0 ? numerator < denominator * 10n ** BigInt(point) : numerator * 10n ** BigInt(-point) < denominator;
}

function same(a: Float, b: Float): boolean {
  const least = Math.min(a.power, b.power);
  if (Math.max(a.power, b.power) - least > 2 * WIDE) return false;
  return a.mantissa << BigInt(a.power - least) === b.mantissa << BigInt(b.power - least);
}

/** Writes digits in Go's `%g` format: an exponent below −4 or from 6 on is written out. */
export function general(digits: string, point: number): string {
  const exponent = point - 1;
  if (exponent < -4 || exponent >= 6) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${digits[0]}${rest}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (digits.length <= point) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Returns the integer part, without rounding. */
export function truncated({ mantissa, power }: Float): bigint {
  return power >= 0 ? mantissa << BigInt(power) : mantissa / (1n << BigInt(-power));
}
