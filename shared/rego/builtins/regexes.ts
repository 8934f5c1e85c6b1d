import { RE2JS, RE2JSException } from 're2js';
import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { isArray, type Value } from '../values/value.ts';
import { hasCommonText } from './glob-patterns.ts';
import { type Args, accepts, countAt, refusing, stringAt, stringsAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Instructions of a compiled pattern. Matching takes linear time, but a larger pattern makes each character slow. */
const MAX_PROGRAM = 20_000;

/** Regular expressions and globs, matched in linear time. */
export const REGEXES: readonly Builtin[] = [
  ...theme('regex', [
    ['regex.is_valid', ['string'], 'boolean', accepts(pattern)],
    ['regex.match', ['string', 'string'], 'boolean', (args, run) => pattern(args, run).test(text(args, 1, run))],
    ['regex.globs_match', ['string', 'string'], 'boolean', hasCommonText],
    ['regex.split', ['string', 'string'], 'array', split],
    ['regex.find_n', ['string', 'string', 'number'], 'array', findN],
    ['regex.find_all_string_submatch_n', ['string', 'string', 'number'], 'array', findGroups],
    ['regex.replace', ['string', 'string', 'string'], 'string', replace],
    ['regex.template_match', ['string', 'string', 'string', 'string'], 'boolean', matchTemplate],
  ]),
  ...theme('glob', [
    ['glob.match', ['string', 'null|array', 'string'], 'boolean', matchGlob],
    ['glob.quote_meta', ['string'], 'string', quoteGlob],
  ]),
];

function quoteGlob(args: Args, run: Run): string {
  const found = stringAt(args, 0);
  run.budget.string(found.length * 2);
  return found.replace(/[*?\\[\]{}]/g, '\\$&');
}

function text(args: Args, at: number, run: Run): string {
  const found = stringAt(args, at);
  run.budget.spend(found.length);
  return found;
}

function pattern(args: Args, run: Run): RE2JS {
  return compiled(stringAt(args, 0), run);
}

/** Compiles a pattern, and keeps it during the evaluation. */
export function compiled(source: string, run: Run): RE2JS {
  const key = `regex:${source}`;
  const known = run.memo.get(key);
  if (known instanceof RE2JS) return known;
  run.budget.spend(source.length * 10);
  const message = (error: Error) => `error parsing regexp: ${error.message}`;
  const made = refusing(RE2JSException, message, () => RE2JS.compile(source));
  if (made.programSize() > MAX_PROGRAM) throw new BuiltinError('pattern too large');
  run.memo.set(key, made);
  return made;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

/** Finds all matches from left to right. An empty match directly after another match is skipped, as in OPA. */
function matches(regex: RE2JS, subject: string, limit: number, run: Run): Found[] {
  const found: Found[] = [];
  const matcher = regex.matcher(subject);
  let last = -1;
  while (found.length !== limit && matcher.find()) {
    run.budget.spend(1 + matcher.groupCount());
    const start = matcher.start();
    const end = matcher.end();
    if (start === end && start === last) continue;
    last = end;
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index));
    found.push({ start, end, groups });
    run.budget.collection(found.length);
  }
  return found;
}

function split(args: Args, run: Run): Value {
  const subject = text(args, 1, run);
  if (subject === '') return stringAt(args, 0) === '' ? [] : [''];
  const parts: string[] = [];
  let from = 0;
  let last = 0;
  for (const { start, end } of matches(pattern(args, run), subject, -1, run)) {
    last = start;
    if (end !== 0) parts.push(subject.slice(from, start));
    from = end;
  }
  if (last !== subject.length) parts.push(subject.slice(from));
  return parts;
}

function findN(args: Args, run: Run): Value {
  return matches(pattern(args, run), text(args, 1, run), countAt(args, 2), run).map(({ groups }) => groups[0] ?? '');
}

function findGroups(args: Args, run: Run): Value {
  const found = matches(pattern(args, run), text(args, 1, run), countAt(args, 2), run);
  return found.map(({ groups }) => groups.map((group) => group ?? ''));
}

/** `$1`, `$name`, `${name}` and `$$` in replacements. A name is as long as possible, and an unknown name is empty. */
const REFERENCE = /\$(?:\$|(\w+)|\{(\w+)\})/g;

function replace(args: Args, run: Run): Value {
  const subject = text(args, 0, run);
  const regex = compiled(stringAt(args, 1), run);
  const template = stringAt(args, 2);
  const names = regex.namedGroups();
  const fresh = replacement(template, names, run);
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  for (const { start, end, groups } of matches(regex, subject, -1, run)) {
    const pieces = fresh.map((piece) => (typeof piece === 'string' ? piece : (groups[piece] ?? '')));
    length = pieces.reduce((sum, piece) => sum + piece.length, length + start - from);
    run.budget.string(length);
    run.budget.spend(pieces.length);
    parts.push(subject.slice(from, start), pieces.join(''));
    from = end;
  }
  parts.push(subject.slice(from));
  return parts.join('');
}

/** Reads a replacement into its texts and the numbers of the groups that it names. */
function replacement(template: string, names: Readonly<Record<string, number>>, run: Run): (string | number)[] {
  run.budget.spend(template.length);
  const pieces: (string | number)[] = [];
  let from = 0;
  for (const match of template.matchAll(REFERENCE)) {
    pieces.push(template.slice(from, match.index));
    from = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name === undefined) pieces.push('$');
    else pieces.push((/^\d+$/.test(name) ? Number(name) : names[name]) ?? '');
  }
  return [...pieces, template.slice(from)];
}

/** Matches a template: text between delimiters is a pattern, everything else is literal. */
function matchTemplate(args: Args, run: Run): Value {
  const template = stringAt(args, 0);
  const open = stringAt(args, 2);
  const close = stringAt(args, 3);
  if ([...open].length !== 1 || [...close].length !== 1) throw new BuiltinError('delimiters must be one character');
  let source = '^';
  let level = 0;
  let from = 0;
  for (let at = 0; at < template.length; at += 1) {
    if (template[at] === open) {
      if (level === 0) {
        source += RE2JS.quote(template.slice(from, at));
        from = at + 1;
      }
      level += 1;
    } else if (template[at] === close) {
      level -= 1;
      if (level < 0) throw new BuiltinError('unbalanced braces');
      if (level === 0) {
        source += `(${template.slice(from, at)})`;
        from = at + 1;
      }
    }
  }
  if (level !== 0) throw new BuiltinError('unbalanced braces');
  return compiled(`${source}${RE2JS.quote(template.slice(from))}$`, run).test(text(args, 1, run));
}

/** The delimiters of `glob.match` for an empty array. `null` means that there are no delimiters. */
const DEFAULT_DELIMITERS = ['.'];

function matchGlob(args: Args, run: Run): Value {
  const delimiters = args[1] === null ? [] : stringsAt(args, 1);
  if (!isArray(args[1]) && args[1] !== null) throw new BuiltinError('operand 2 must be an array or null');
  const used = args[1] !== null && delimiters.length === 0 ? DEFAULT_DELIMITERS : delimiters;
  for (const one of used) if ([...one].length !== 1) throw new BuiltinError('delimiters must be one character');
  return compiled(globSource(stringAt(args, 0), used), run).test(text(args, 2, run));
}

/** Turns a glob into a regular expression: `*` stops at delimiters, `**` does not, `{a,b}` lists alternatives. */
function globSource(glob: string, delimiters: readonly string[]): string {
  const part = delimiters.length === 0 ? '(?s:.)' : `[^${delimiters.map((one) => RE2JS.quote(one)).join('')}]`;
  const points = [...glob];
  let source = '^';
  let level = 0;
  for (let at = 0; at < points.length; at += 1) {
    const point = points[at] ?? '';
    if (point === '*' && points[at + 1] === '*') {
      source += '(?s:.*)';
      at += 1;
    } else if (point === '*') {
      source += `${part}*`;
    } else if (point === '?') {
      source += part;
    } else if (point === '\\') {
      at += 1;
      source += RE2JS.quote(points[at] ?? '\\');
    } else if (point === '{') {
      level += 1;
      source += '(?:';
    } else if (point === '}' && level > 0) {
      level -= 1;
      source += ')';
    } else if (point === ',' && level > 0) {
      source += '|';
    } else if (point === '[') {
      const end = points.indexOf(']', at + 1);
      if (end === -1) throw new BuiltinError('unclosed range in glob');
      source += range(points.slice(at + 1, end));
      at = end;
    } else {
      source += RE2JS.quote(point);
    }
  }
  if (level > 0) throw new BuiltinError('unclosed alternatives in glob');
  return `${source}$`;
}

function range(points: readonly string[]): string {
  const negated = points[0] === '!';
  const inside = negated ? points.slice(1) : points;
  if (inside.length === 0) throw new BuiltinError('empty range in glob');
  const quote = (point: string) => (point === '-' ? '-' : `\\x{${(point.codePointAt(0) ?? 0).toString(16)}}`);
  const [low, dash, high] = inside;
  const isRange = inside.length === 3 && dash === '-' && low !== undefined && high !== undefined;
  const body = isRange
    ? `${quote(low)}-${quote(high)}`
    : inside.map((point) => (point === '-' ? '\\-' : quote(point))).join('');
  return `[${negated ? '^' : ''}${body}]`;
}
