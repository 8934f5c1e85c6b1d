/** An exact decimal number. Build numbers and dates in tags can have more digits than a double can hold. */
export interface Decimal {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros; empty for a number below one. */
  readonly whole: string;
  /** Digits after the point, without trailing zeros. */
  readonly fraction: string;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Reads an integer or a decimal number of the expression language (`rules/policies.md#numbers`).
 * @returns null if the text is no number
 */
export function parseDecimal(text: string): Decimal | null {
  const parts = NUMBER.exec(text);
  if (!parts) return null;
  const whole = (parts[2] ?? '').replace(/^0+/, '');
  const fraction = withoutTrailingZeros(parts[3] ?? '');
  return { negative: parts[1] === '-' && whole + fraction !== '', whole, fraction };
}

/** @returns a number below zero, zero or above zero, if `a` is less than, equal to or greater than `b` */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  return a.negative ? compareSizes(b, a) : compareSizes(a, b);
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  return compareTexts(a.whole, b.whole) || compareTexts(a.fraction, b.fraction);
}

/** Compares digits as texts. That works for whole parts of equal length, and for fractions of any length. */
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
