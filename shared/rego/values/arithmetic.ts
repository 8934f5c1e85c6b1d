import { asInteger, exact, integer, parseNumber, type RegoNumber } from './decimal.ts';
import { combine, DOUBLE, type Float, toFloat, toNumber, truncated, WIDE } from './float.ts';

/**
 * Arithmetic like OPA's: integers exactly, other numbers as binary floating-point numbers with a mantissa of 64 bits. A
 * result has the shortest text that reads back as the same number, so `0.1 + 0.2` is `0.3`.
 */

export type Operation = 'plus' | 'minus' | 'mul' | 'div';

/**
 * @returns the result, or null for a division by zero and a result out of range
 */
export function calculate(operation: Operation, a: RegoNumber, b: RegoNumber): RegoNumber | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const quick = calculateSmall(operation, a, b);
    if (quick !== undefined) return quick;
  }
  const x = asInteger(a);
  const y = asInteger(b);
  if (x !== null && y !== null) {
    if (operation === 'plus') return integer(x + y);
    if (operation === 'minus') return integer(x - y);
    if (operation === 'mul') return integer(x * y);
  }
  if (operation === 'div' && (y === 0n || exact(b).coefficient === 0n)) return null;
  const result = toNumber(combine(operation, toFloat(a), toFloat(b)));
  // Floating-point numbers have a negative zero, and OPA prints it.
  const below = (operation === 'mul' || operation === 'div') && isNegative(a) !== isNegative(b);
  return result === 0 && below ? parseNumber('-0') : result;
}

/** Returns the remainder with the sign of the dividend. Null for fractions and for a divisor of zero. */
export function remainder(a: RegoNumber, b: RegoNumber): RegoNumber | null {
  const x = asInteger(a);
  const y = asInteger(b);
  return x === null || y === null || y === 0n ? null : integer(x % y);
}

/** Rounds to the nearest integer, halves away from zero. */
export function round(value: RegoNumber): RegoNumber {
  if (typeof value === 'number') return value;
  const { mantissa, power } = toFloat(value);
  const half = { mantissa: mantissa < 0n ? -1n : 1n, power: -1 };
  const least = Math.min(power, half.power);
  const sum = (mantissa << BigInt(power - least)) + (half.mantissa << BigInt(half.power - least));
  return integer(truncated({ mantissa: sum, power: least }));
}

/** Rounds down. Between −1 and 0 the result is 0, as in OPA. */
export function floor(value: RegoNumber): RegoNumber {
  if (typeof value === 'number') return value;
  const whole = truncated(toFloat(value));
  return integer(whole < 0n && asInteger(value) === null ? whole - 1n : whole);
}

/** Rounds up. Between −1 and 0 the result is 1, as in OPA. */
export function ceil(value: RegoNumber): RegoNumber {
  if (typeof value === 'number') return value;
  const whole = truncated(toFloat(value));
  return integer(whole >= 0n && asInteger(value) === null ? whole + 1n : whole);
}

/** Returns a number without its sign, with the text of a floating-point number. */
export function abs(value: RegoNumber): RegoNumber | null {
  if (typeof value === 'number') return Math.abs(value);
  const float = toFloat(value);
  return toNumber({ ...float, mantissa: float.mantissa < 0n ? -float.mantissa : float.mantissa });
}

/** Returns the sum or product: exact for integers. A product with a fraction is calculated with doubles, as in OPA. */
export function accumulate(operation: 'plus' | 'mul', values: readonly RegoNumber[]): RegoNumber | null {
  const whole = values.map(asInteger).filter((value) => value !== null);
  if (whole.length === values.length) {
    return integer(
      whole.reduce((sum, value) => (operation === 'plus' ? sum + value : sum * value), operation === 'plus' ? 0n : 1n),
    );
  }
  const bits = operation === 'plus' ? WIDE : DOUBLE;
  const start = { mantissa: operation === 'plus' ? 0n : 1n, power: 0 };
  return toNumber(
    values.reduce((sum: Float, value) => combine(operation, sum, toFloat(value), bits), start),
    bits,
  );
}

function isNegative(value: RegoNumber): boolean {
  return exact(value).coefficient < 0n;
}

function calculateSmall(operation: Operation, a: number, b: number): number | undefined {
  if (operation === 'div') {
    const quotient = b === 0 ? Number.NaN : a / b;
    return Number.isSafeInteger(quotient) && quotient * b === a && !Object.is(quotient, -0) ? quotient : undefined;
  }
  const result = operation === 'plus' ? a + b : operation === 'minus' ? a - b : a * b;
  return Number.isSafeInteger(result) ? result + 0 : undefined;
}
