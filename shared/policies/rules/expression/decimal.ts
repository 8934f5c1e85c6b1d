/** An exact decimal number. Build numbers and dates in tags have more digits than a double can tell apart. */
export interface Decimal {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros: empty for a number below one. */
  readonly whole: string;
  /** Digits after the point, without trailing zeros. */
  readonly fraction: string;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Reads an integer or a decimal as the expression language writes it (wire environments §6.4, «Literals»).
 * @returns null where the text is no number
 */
export function parseDecimal(text: string): Decimal | null {
  const parts = NUMBER.exec(text);
  if (!parts) return null;
  const whole = (parts[2] ?? '').replace(/^0+/, '');
  const fraction = withoutTrailingZeros(parts[3] ?? '');
  return { negative: parts[1] === '-' && whole + fraction !== '', whole, fraction };
}

/** @returns below zero, zero or above zero, as `a` is less than, equal to or greater than `b` */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  return a.negative ? compareSizes(b, a) : compareSizes(a, b);
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  return compareTexts(a.whole, b.whole) || compareTexts(a.fraction, b.fraction);
}

/** Digits are in the order of their characters, and a shorter fraction comes before one that goes on. */
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
