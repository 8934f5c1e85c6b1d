import { Decimal, numberText } from './decimal.ts';
import { compareStrings, elements, isArray, isCollection, isNumber, RegoObject, RegoSet, type Value } from './value.ts';

/** Returns a value in Rego's own notation, as `sprintf` prints it inside collections. */
export function regoText(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (isNumber(value)) return numberText(value);
  if (isArray(value)) return `[${value.map(regoText).join(', ')}]`;
  if (value instanceof RegoSet) {
    return value.size === 0 ? 'set()' : `{${value.members().map(regoText).join(', ')}}`;
  }
  const members = value.pairs().map(([key, member]) => `${regoText(key)}: ${regoText(member)}`);
  return `{${members.join(', ')}}`;
}

/**
 * Returns the least length that the text of a value can have, in any notation. Strings may be shared by many places of a
 * value, so a small value can have a long text.
 * @param most the search ends as soon as the length exceeds it
 */
export function leastLength(value: Value, most: number): number {
  let length = 0;
  const add = (one: Value): void => {
    if (length > most) return;
    if (typeof one === 'string') length += one.length;
    else if (one instanceof RegoObject) for (const pair of one.pairs()) for (const part of pair) add(part);
    else if (isCollection(one)) for (const element of elements(one)) add(element);
    length += 1;
  };
  add(value);
  return length - 1;
}

/** Returns a string as it is and other values in Rego's notation. */
export function plainText(value: Value): string {
  return typeof value === 'string' ? value : regoText(value);
}

/**
 * Returns canonical JSON text: keys in order, sets as sorted arrays, keys that are no strings as their JSON text,
 * numbers as they were written, no white space.
 */
export function canonicalJson(value: Value): string {
  if (typeof value === 'string') return jsonString(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (isNumber(value)) return value instanceof Decimal ? jsonNumber(value.text) : String(value);
  if (!(value instanceof RegoObject)) return `[${elements(value).map(canonicalJson).join(',')}]`;
  const named = value.pairs().map(([key, member]) => [keyText(key), canonicalJson(member)] as const);
  named.sort((a, b) => compareStrings(a[0], b[0]));
  return `{${named.map(([key, member]) => `${jsonString(key)}:${member}`).join(',')}}`;
}

/** Returns the text of a key as it stands in JSON, without its quotes. */
export function keyText(key: Value): string {
  return typeof key === 'string' ? key : canonicalJson(key);
}

/**
 * Returns a JSON string as OPA writes it: `<`, `>`, `&` and the two line separators are escaped, and bytes that are no
 * UTF-8 (values/bytes.ts) become U+FFFD, escaped.
 */
function jsonString(text: string): string {
  if (!text.isWellFormed()) {
    const parts = text.split(/[\ud800-\udfff]/u).map((part) => jsonString(part).slice(1, -1));
    return `"${parts.join('\\ufffd')}"`;
  }
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (unit) => unicodeEscape(unit));
}

function jsonNumber(text: string): string {
  return text.startsWith('.') ? `0${text}` : text;
}

const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u000b': '\\v',
};

/** Returns a string in double quotes with unprintable characters escaped. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]|[\p{C}\p{Zl}\p{Zp}]|[\p{Zs}--[ ]]/gv, (unit) => {
    if (unit === '"' || unit === '\\') return `\\${unit}`;
    const short = SHORT[unit];
    if (short !== undefined) return short;
    const code = unit.codePointAt(0) ?? 0;
    // A byte that is no UTF-8: values/bytes.ts.
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
    if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return unicodeEscape(unit);
  });
  return `"${escaped}"`;
}

/** Returns a character as `\u` with four digits or, beyond U+FFFF, as `\U` with eight. */
export function unicodeEscape(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
