import { asDouble, asInteger, integer, numberOfDouble, type RegoNumber } from '../../values/decimal.ts';

/** Words and numbers that a scalar without quotes stands for. Every other scalar is a string. */
const WORDS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;

/** Returns what a scalar without quotes stands for; undefined for a number that JSON does not have. */
export function plainScalar(text: string): null | boolean | string | RegoNumber | undefined {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  if (NOT_FINITE.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  const whole = wholeNumber(digits);
  if (whole !== null && whole >= -(2n ** 63n) && whole < 2n ** 64n) return integer(whole);
  if (!FLOAT.test(digits) && whole === null) return text;
  const double = whole === null ? Number(digits) : Number(whole);
  return Number.isFinite(double) ? numberOfDouble(double) : undefined;
}

/** Reads decimal, hexadecimal, binary and octal numbers. A leading zero means octal. */
function wholeNumber(text: string): bigint | null {
  const [, sign, prefix = '', digits = ''] = /^([-+]?)(0x|0b|0o|0(?=[0-7]))?([0-9a-fA-F]+)$/.exec(text) ?? [];
  const forms: Readonly<Record<string, RegExp>> = { '0x': /^[0-9a-fA-F]+$/, '0b': /^[01]+$/, '': /^[0-9]+$/ };
  if (sign === undefined || !(forms[prefix] ?? /^[0-7]+$/).test(digits)) return null;
  const size = BigInt(prefix === '0' ? `0o${digits}` : prefix + digits);
  return sign === '-' ? -size : size;
}

/** Words that other versions of YAML read as booleans, and numbers in base 60. They are written in quotes. */
const OLD_WORDS = /^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const DATE = /^\d{4}-\d\d?-\d\d?([Tt ].*)?$/;

/** Characters that stand only as escapes between double quotes. */
const SPECIAL = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '0',
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\ufeff': 'uFEFF',
};

/** Whether a text is written with one line for each of its lines. */
export function isBlock(text: string): boolean {
  return text.includes('\n') && !SPECIAL.test(text) && !/ (\n|$)/.test(text);
}

/** Writes a string on one line: as it is, or in quotes where it would be read as something else. */
export function scalarText(text: string): string {
  const isPlain = plainScalar(text) === text && !OLD_WORDS.test(text) && !BASE_60.test(text) && !DATE.test(text);
  if (!isPlain || text.includes('\n') || SPECIAL.test(text)) return doubleQuoted(text);
  const needsQuotes =
    /^[#,[\]{}&*!|>'"%@`]|^[-?:](?=[\s]|$)|^(---|\.\.\.)|^\s|\s$|:(?=\s|$)|\s#/.test(text) ||
    /[\u2028\u2029]/.test(text);
  return needsQuotes ? `'${text.replaceAll("'", "''")}'` : text;
}

function doubleQuoted(text: string): string {
  const escaped = Array.from(text, (point) => {
    const known = ESCAPES[point];
    if (known !== undefined) return `\\${known}`;
    if (!SPECIAL.test(point)) return point;
    const code = (point.codePointAt(0) ?? 0).toString(16).toUpperCase();
    if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

/** Writes a number: digits for what fits into 64 bits, and the shortest text of the nearest double for others. */
export function numberScalar(number: RegoNumber): string {
  const whole = asInteger(number);
  if (whole !== null && whole >= -(2n ** 63n) && whole < 2n ** 64n) return String(whole);
  const double = asDouble(number);
  const isSmall = double !== 0 && Math.abs(double) < 1e-4;
  const text = isSmall ? double.toExponential() : String(double);
  return text.replace(/e([-+])(\d)$/, 'e$10$2');
}
