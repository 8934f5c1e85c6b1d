import { BuiltinError, RegoError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { floor } from '../values/arithmetic.ts';
import { bytesOfText, textOfBytes } from '../values/bytes.ts';
import { asInteger } from '../values/decimal.ts';
import { leastLength, plainText } from '../values/text.ts';
import { RegoSet, type Value, weightOf } from '../values/value.ts';
import { digits } from './numbers.ts';
import { type Args, arrayAt, countAt, numberAt, objectAt, oneOrMoreAt, stringAt, stringsAt } from './operands.ts';
import { type Builtin, type Row, theme } from './registry.ts';
import { format } from './sprintf.ts';

/** Functions on strings. Positions and lengths count code points. */
export const STRINGS: readonly Builtin[] = theme('strings', [
  ['concat', ['string', 'array|set'], 'string', concat],
  pair('contains', 'boolean', (text, part) => text.includes(part)),
  pair('startswith', 'boolean', (text, part) => text.startsWith(part)),
  pair('endswith', 'boolean', (text, part) => text.endsWith(part)),
  ['format_int', ['number', 'number'], 'string', formatInt],
  ['indexof', ['string', 'string'], 'number', (args) => indexOf(args)[0] ?? -1],
  ['indexof_n', ['string', 'string'], 'array', (args, run) => indexes(args, run)],
  change('lower', (text) => mapped(text, (point) => point.toLowerCase())),
  change('upper', (text) => mapped(text, (point) => point.toUpperCase())),
  change('trim_space', (text) => text.replace(SPACE_AT_START, '').replace(SPACE_AT_END, '')),
  change('strings.reverse', (text) => [...text].reverse().join('')),
  ['replace', ['string', 'string', 'string'], 'string', replace],
  ['strings.replace_n', ['object', 'string'], 'string', replaceMany],
  ['split', ['string', 'string'], 'array', split],
  ['strings.split_n', ['string', 'string', 'number'], 'array', splitN],
  ['substring', ['string', 'number', 'number'], 'string', substring],
  pair('trim', 'string', (text, set) => trimEnd(trimStart(text, set), set)),
  pair('trim_left', 'string', trimStart),
  pair('trim_right', 'string', trimEnd),
  pair('trim_prefix', 'string', (text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  pair('trim_suffix', 'string', (text, part) =>
    part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text,
  ),
  anyPair('strings.any_prefix_match', (text, part) => text.startsWith(part)),
  anyPair('strings.any_suffix_match', (text, part) => text.endsWith(part)),
  ['strings.count', ['string', 'string'], 'number', countParts],
  ['internal.template_string', ['array'], 'string', interpolate],
  ['sprintf', ['string', 'array'], 'string', (args, run) => format(stringAt(args, 0), arrayAt(args, 1), run.budget)],
]);

/** Joins the parts of a template: constants as they are, expressions as sets with one value or none. */
function interpolate(args: Args, { budget }: Run): string {
  let whole = '';
  for (const part of arrayAt(args, 0)) {
    const [value, second] = part instanceof RegoSet ? part.members() : [part];
    if (second !== undefined) throw new RegoError('eval', 'an expression of a template must not have several values');
    budget.spend(value === undefined ? 1 : weightOf(value));
    if (value !== undefined) budget.string(whole.length + leastLength(value, budget.limits.string));
    whole += value === undefined ? '<undefined>' : plainText(value);
    budget.string(whole.length);
  }
  return whole;
}

const SPACE_AT_START = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const SPACE_AT_END =
  /(?<![\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/;

/**
 * Changes the case of each code point alone. Where the other case has several code points, lower case takes the first of
 * them and upper case keeps the original, as in OPA.
 */
function mapped(text: string, convert: (point: string) => string): string {
  if (/^[\0-\x7f]*$/.test(text)) return convert(text);
  return Array.from(text, (point) => {
    const [first = '', ...more] = convert(point);
    if (more.length === 0) return first;
    return first.toLowerCase() === first ? first : point;
  }).join('');
}

function change(name: string, convert: (text: string) => string): Row {
  const apply = (args: Args, run: Run) => {
    const text = stringAt(args, 0);
    run.budget.string(text.length);
    return convert(text);
  };
  return [name, ['string'], 'string', apply];
}

/** A function of two strings: it answers a question about the first one or returns a part of it. */
function pair(name: string, result: 'boolean' | 'string', answer: (text: string, part: string) => Value): Row {
  const apply = (args: Args, run: Run) => {
    const text = stringAt(args, 0);
    run.budget.string(text.length);
    return answer(text, stringAt(args, 1));
  };
  return [name, ['string', 'string'], result, apply];
}

function concat(args: Args, run: Run): Value {
  const separator = stringAt(args, 0);
  const parts = stringsAt(args, 1);
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * Math.max(0, parts.length - 1));
  run.budget.spend(parts.length);
  run.budget.string(length);
  return parts.join(separator);
}

function formatInt(args: Args, run: Run): Value {
  const base = countAt(args, 1);
  if (![2, 8, 10, 16].includes(base)) throw new BuiltinError('operand 2 must be one of {2, 8, 10, 16}');
  const number = numberAt(args, 0);
  // A hexadecimal digit has four bits, and `digits` counts it twice.
  run.budget.string(digits(number) * 2);
  const whole = asInteger(number) ?? asInteger(floor(number)) ?? 0n;
  const up = asInteger(number) === null && whole < 0n ? whole + 1n : whole;
  return up.toString(base);
}

function indexOf(args: Args): number[] {
  const text = stringAt(args, 0);
  const part = stringAt(args, 1);
  if (part === '') throw new BuiltinError('empty search character');
  const at = text.indexOf(part);
  return at === -1 ? [] : [points(text, 0, at)];
}

function indexes(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  const part = stringAt(args, 1);
  if (part === '') throw new BuiltinError('empty search character');
  run.budget.string(text.length);
  const found: number[] = [];
  let unit = 0;
  let point = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    point += points(text, unit, at);
    unit = at;
    found.push(point);
    run.budget.collection(found.length);
  }
  return found;
}

/** Counts the code points between two positions. */
function points(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

function replace(args: Args, run: Run): Value {
  const [text, old, fresh] = [stringAt(args, 0), stringAt(args, 1), stringAt(args, 2)];
  if (old === '') return replacedMany([[old, fresh]], text, run);
  run.budget.string(text.length);
  const count = occurrences(text, old);
  run.budget.string(text.length + count * Math.max(0, fresh.length - old.length));
  return text.split(old).join(fresh);
}

/** Counts where a part that is not empty occurs, without overlaps. */
function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function replaceMany(args: Args, run: Run): Value {
  const pairs = objectAt(args, 0)
    .pairs()
    .map(([old, fresh]): [string, string] => {
      if (typeof old !== 'string' || typeof fresh !== 'string')
        throw new BuiltinError('operand 1 must map strings to strings');
      return [old, fresh];
    });
  return replacedMany(pairs, stringAt(args, 1), run);
}

/**
 * Makes all replacements in one pass. Where several keys match at one position, the first key in order wins. The empty
 * key also matches between the bytes of one character.
 */
function replacedMany(pairs: readonly (readonly [string, string])[], text: string, run: Run): string {
  if (!pairs.some(([old]) => old === '') || /^[\0-\x7f]*$/.test(text)) return replacedUnits(pairs, text, run);
  run.budget.string(text.length * 3);
  const bytes = (one: string) => bytesOfText(one).toString('latin1');
  const replaced = replacedUnits(
    pairs.map(([old, fresh]) => [bytes(old), bytes(fresh)] as const),
    bytes(text),
    run,
  );
  return textOfBytes(Buffer.from(replaced, 'latin1'));
}

function replacedUnits(pairs: readonly (readonly [string, string])[], text: string, run: Run): string {
  const parts: string[] = [];
  let length = 0;
  const put = (part: string) => {
    parts.push(part);
    length += part.length;
    run.budget.string(length);
  };
  let at = 0;
  let afterEmpty = false;
  for (;;) {
    run.budget.spend(pairs.length + 1);
    const hit = pairs.find(([old]) => text.startsWith(old, at) && !(old === '' && afterEmpty));
    if (hit === undefined) {
      if (at >= text.length) break;
      const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
      put(point);
      at += point.length;
    } else {
      put(hit[1]);
      at += hit[0].length;
    }
    afterEmpty = hit?.[0] === '';
  }
  return parts.join('');
}

function split(args: Args, run: Run): readonly Value[] {
  const text = stringAt(args, 0);
  const separator = stringAt(args, 1);
  run.budget.string(text.length);
  const count = separator === '' ? points(text, 0, text.length) : occurrences(text, separator) + 1;
  run.budget.collection(count);
  run.budget.spend(count);
  return separator === '' ? [...text] : text.split(separator);
}

/** The first parts, or the last ones for a negative number. */
function splitN(args: Args, run: Run): Value {
  const parts = split(args, run);
  const count = countAt(args, 2);
  return count < 0 ? parts.slice(count) : parts.slice(0, count);
}

function substring(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  const offset = countAt(args, 1);
  const length = countAt(args, 2);
  if (offset < 0) throw new BuiltinError('negative offset');
  run.budget.string(text.length);
  const all = [...text];
  return all.slice(offset, length < 0 ? all.length : offset + length).join('');
}

function trimStart(text: string, set: string): string {
  const unwanted = new Set(set);
  let at = 0;
  for (const point of text) {
    if (!unwanted.has(point)) break;
    at += point.length;
  }
  return text.slice(at);
}

function trimEnd(text: string, set: string): string {
  const unwanted = new Set(set);
  const all = [...text];
  let end = all.length;
  while (end > 0 && unwanted.has(all[end - 1] ?? '')) end -= 1;
  return all.slice(0, end).join('');
}

/** A function of two strings or lists of strings: whether two of them fit. */
function anyPair(name: string, fits: (text: string, part: string) => boolean): Row {
  const apply = (args: Args, run: Run) => {
    const [texts, parts] = [oneOrMoreAt(args, 0), oneOrMoreAt(args, 1)];
    run.budget.spend(texts.length * parts.length);
    return texts.some((text) => parts.some((part) => fits(text, part)));
  };
  return [name, ['string|array|set', 'string|array|set'], 'boolean', apply];
}

function countParts(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  const part = stringAt(args, 1);
  run.budget.string(text.length);
  if (part === '') return [...text].length + 1;
  return text.split(part).length - 1;
}
