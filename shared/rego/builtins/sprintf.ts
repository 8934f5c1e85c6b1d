import { BuiltinError } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { bytesOfText } from '../values/bytes.ts';
import { asDouble, asInteger, Decimal, numberText, type RegoNumber } from '../values/decimal.ts';
import { general } from '../values/float.ts';
import { leastLength, quoted, regoText, unicodeEscape } from '../values/text.ts';
import { isNumber, type Value, weightOf } from '../values/value.ts';

interface Directive {
  readonly flags: string;
  readonly width: number | null;
  readonly precision: number | null;
  readonly verb: string;
}

const DIRECTIVE = /%([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:\.(\*|\d+)?)?(?:\[(\d+)\])?(.?)/suy;

/** Larger widths and precisions are refused, as in Go, whose formatting OPA uses. */
const MAX_WIDTH = 1_000_000;

/**
 * Formats text like OPA: verbs `%v %s %d %b %o %O %x %X %c %U %q %t %e %E %f %F %g %G %T %%`, flags, width, precision.
 * Missing, extra and unsuitable operands leave the marks in the text that Go leaves.
 */
export function format(pattern: string, operands: readonly Value[], budget: Budget): string {
  const parts: string[] = [];
  let length = 0;
  const put = (part: string) => {
    parts.push(part);
    length += part.length;
    budget.string(length);
    budget.spend(1);
  };
  let next = 0;
  let reordered = false;
  let at = 0;
  for (;;) {
    const percent = pattern.indexOf('%', at);
    if (percent === -1) break;
    put(pattern.slice(at, percent));
    DIRECTIVE.lastIndex = percent;
    const match = DIRECTIVE.exec(pattern);
    if (match === null) throw new BuiltinError('unreadable format');
    at = DIRECTIVE.lastIndex;
    const [whole, flags = '', early, width, precision, late, verb = ''] = match;
    const index = early ?? late;
    if (index !== undefined) {
      next = Number(index) - 1;
      reordered = true;
    }
    if (verb === '%' || verb === '') {
      put(verb === '%' ? '%' : '%!(NOVERB)');
      continue;
    }
    const star = (text: string | undefined): number | null => {
      if (text !== '*') return text === undefined ? null : Number(text);
      const operand = operands[next];
      next += 1;
      return typeof operand === 'number' ? operand : null;
    };
    const wide = star(width);
    const exact = precision === undefined && whole.includes('.') ? 0 : star(precision);
    if (Math.abs(wide ?? 0) > MAX_WIDTH || (exact ?? 0) > MAX_WIDTH) throw new BuiltinError('width out of range');
    const operand = operands[next];
    if (operand === undefined) {
      put(index === undefined ? `%!${verb}(MISSING)` : `%!${verb}(BADINDEX)`);
      continue;
    }
    next += 1;
    const left = (wide ?? 0) < 0 ? `${flags}-` : flags;
    budget.spend(weightOf(operand));
    const least = Math.min(leastLength(operand, budget.limits.string), exact ?? Number.POSITIVE_INFINITY);
    budget.string(length + least * charactersPerUnit(verb, flags));
    put(directive({ flags: left, width: wide === null ? null : Math.abs(wide), precision: exact, verb }, operand));
  }
  put(pattern.slice(at));
  if (!reordered && next < operands.length) {
    const extra = operands.slice(next);
    budget.spend(weightOf(extra));
    budget.string(length + leastLength(extra, budget.limits.string));
    put(`%!(EXTRA ${extra.map((operand) => `${goType(operand)}=${plain(operand)}`).join(', ')})`);
  }
  return parts.join('');
}

/** Characters that a verb prints at least for each UTF-16 unit of a text. */
function charactersPerUnit(verb: string, flags: string): number {
  if (verb === 'T') return 0;
  if (verb !== 'x' && verb !== 'X') return 1;
  if (!flags.includes(' ')) return 2;
  return flags.includes('#') ? 5 : 3;
}

function directive(one: Directive, operand: Value): string {
  if (one.verb === 'T') return padded(goType(operand), one);
  const text = isNumber(operand) ? numeric(one, operand) : textual(one, operand);
  return text ?? `%!${one.verb}(${goType(operand).replace('*', '')}=${unfit(one, operand)})`;
}

/** Prints an operand inside the mark for an unsuitable operand. Flags, width and precision still apply. */
function unfit(one: Directive, operand: Value): string {
  const whole = isNumber(operand) ? integerOf(operand) : null;
  if (whole !== null) return isBig(whole) ? String(whole) : (integral({ ...one, verb: 'd' }, whole) ?? '');
  if (isNumber(operand) && isFraction(operand)) return numeric({ ...one, verb: 'g' }, operand) ?? '';
  return textual({ ...one, verb: 's' }, plain(operand)) ?? '';
}

function textual(one: Directive, operand: Value): string | null {
  const text = plain(operand);
  const short = one.precision === null ? text : [...text].slice(0, one.precision).join('');
  if (one.verb === 'v' && one.flags.includes('#')) return padded(quoted(short), one);
  if (one.verb === 'v' || one.verb === 's') return padded(short, one);
  if (one.verb === 'q') return padded(quotedBy(one.flags, short), one);
  if (one.verb !== 'x' && one.verb !== 'X') return null;
  const bytes = bytesOfText(short).toString('hex');
  const prefix = one.flags.includes('#') ? '0x' : '';
  const spaced = one.flags.includes(' ') ? (bytes.match(/../g) ?? []).join(` ${prefix}`) : bytes;
  const hex = bytes === '' ? '' : prefix + spaced;
  return padded(one.verb === 'X' ? hex.toUpperCase() : hex, one);
}

function quotedBy(flags: string, text: string): string {
  if (flags.includes('#') && !/[`\p{Cc}\ufeff]/u.test(text.replaceAll('\t', ''))) return `\`${text}\``;
  const safe = quoted(text);
  return flags.includes('+') ? safe.replace(/[^\0-\x7f]/gu, (point) => unicodeEscape(point)) : safe;
}

function numeric(one: Directive, operand: RegoNumber): string | null {
  const whole = integerOf(operand);
  if (whole !== null) return integral(one, whole);
  if (!isFraction(operand)) return textual(one, numberText(operand));
  const text = fraction(one, asDouble(operand));
  return text === null ? null : signed(/[GEX]/.test(one.verb) ? text.toUpperCase() : text, one);
}

function fraction({ verb, precision }: Directive, value: number): string | null {
  switch (verb) {
    case 'v':
    case 'g':
    case 'G':
      return precision === null ? shortest(value) : compact(value, precision);
    case 'e':
    case 'E':
      return scientific(value, precision ?? 6);
    case 'f':
    case 'F':
      return fixed(value, precision ?? 6);
    case 'x':
    case 'X':
      if (precision !== null) throw new BuiltinError('%x with a precision is not supported for fractions');
      return hexFloat(value);
    default:
      return null;
  }
}

/** Prints a double with hexadecimal mantissa and binary exponent. */
function hexFloat(value: number): string {
  const bits = new BigUint64Array(new Float64Array([Math.abs(value)]).buffer)[0] ?? 0n;
  const raw = Number(bits >> 52n);
  const sign = value < 0 ? '-' : '';
  if (bits === 0n) return `${sign}0x0p+00`;
  if (raw === 0) throw new BuiltinError('%x is not supported for fractions this small');
  const digits = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0').replace(/0+$/, '');
  return `${sign}0x1${digits === '' ? '' : `.${digits}`}p${power(raw - 1023)}`;
}

function integral(one: Directive, value: bigint): string | null {
  const negative = value < 0n;
  const size = negative ? -value : value;
  const digits = (base: number, prefix = ''): string => {
    const text = one.precision === 0 && size === 0n ? '' : size.toString(base).padStart(one.precision ?? 0, '0');
    return signed(`${negative ? '-' : ''}${prefix}${text}`, one);
  };
  const alternate = one.flags.includes('#');
  if (isBig(value) && 'cqU'.includes(one.verb)) return null;
  switch (one.verb) {
    case 'v':
    case 'd':
      return digits(10);
    case 'b':
      return digits(2, alternate ? '0b' : '');
    case 'o':
      return digits(8, alternate ? '0' : '');
    case 'O':
      return digits(8, '0o');
    case 'x':
      return digits(16, alternate ? '0x' : '');
    case 'X':
      return digits(16, alternate ? '0X' : '').toUpperCase();
    case 's':
      return isBig(value) ? digits(10) : null;
    case 'c':
      return padded(character(value), one);
    case 'q':
      return padded(quotedCharacter(character(value)), one);
    case 'U':
      return padded(`U+${size.toString(16).toUpperCase().padStart(4, '0')}`, one);
    default:
      return null;
  }
}

/** Returns an integer operand. A number with a point or an exponent in its text is a float here. */
function integerOf(operand: RegoNumber): bigint | null {
  return operand instanceof Decimal && /[.eE]/.test(operand.text) ? null : asInteger(operand);
}

/** Whether a number is a float. OPA formats a float beyond the range of doubles as a string. */
function isFraction(operand: RegoNumber): boolean {
  return /[.eE]/.test(numberText(operand)) && Number.isFinite(asDouble(operand));
}

function character(point: bigint): string {
  return point < 0n || point > 0x10ffffn || (point >= 0xd800n && point <= 0xdfffn)
    ? '\ufffd'
    : String.fromCodePoint(Number(point));
}

function quotedCharacter(point: string): string {
  if (point === "'") return "'\\''";
  return point === '"' ? `'"'` : `'${quoted(point).slice(1, -1)}'`;
}

/** Prints a double as the shortest text that reads back as the same double, in Go's `%g` format. */
function shortest(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return `${value < 0 ? '-' : ''}${general(mantissa.replace('.', ''), Number(exponent) + 1)}`;
}

function compact(value: number, precision: number): string {
  const digits = Math.min(100, Math.max(1, precision));
  const [mantissa = '', exponent = '0'] = Math.abs(value)
    .toExponential(digits - 1)
    .split('e');
  const sign = value < 0 ? '-' : '';
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  if (Number(exponent) < -4 || Number(exponent) >= digits) return `${sign}${short}e${power(Number(exponent))}`;
  const text = Math.abs(value).toFixed(Math.max(0, digits - 1 - Number(exponent)));
  return sign + (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

function scientific(value: number, precision: number): string {
  const [mantissa, exponent = '0'] = value.toExponential(Math.min(100, precision)).split('e');
  return `${mantissa}e${power(Number(exponent))}`;
}

function power(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixed(value: number, precision: number): string {
  const text = value.toFixed(Math.min(100, precision));
  return text.includes('e') ? BigInt(value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '') : text;
}

function signed(text: string, one: Directive): string {
  if (text.startsWith('-')) return padded(text, one);
  if (one.flags.includes('+') && one.verb !== 'v') return padded(`+${text}`, one);
  return padded(one.flags.includes(' ') ? ` ${text}` : text, one);
}

function padded(text: string, { flags, width, verb }: Directive): string {
  const missing = (width ?? 0) - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0') || verb === 'q') return ' '.repeat(missing) + text;
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

/** Prints a value as `%v` does. */
function plain(operand: Value): string {
  if (typeof operand === 'string') return operand;
  if (!isNumber(operand)) return regoText(operand);
  const whole = integerOf(operand);
  if (whole !== null) return String(whole);
  return isFraction(operand) ? shortest(asDouble(operand)) : numberText(operand);
}

/** Whether an integer does not fit into 64 bits. Go formats such integers by other rules. */
function isBig(value: bigint): boolean {
  return BigInt.asIntN(64, value) !== value;
}

/** Returns the Go type that OPA converts an operand to. A number that is neither integer nor float is a string. */
function goType(operand: Value): string {
  if (!isNumber(operand)) return 'string';
  const whole = integerOf(operand);
  if (whole === null) return isFraction(operand) ? 'float64' : 'string';
  return isBig(whole) ? '*big.Int' : 'int64';
}
