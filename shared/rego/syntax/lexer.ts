import { RegoError } from '../errors.ts';
import { parseNumber, type RegoNumber } from '../values/decimal.ts';

/**
 * A template `$"a{x}b{y}c"` is a `templateStart` (`a`), the tokens of `x`, a `templateMiddle` (`b`), the tokens of `y` and
 * a `templateEnd` (`c`). A template without expressions is a string.
 */
type TokenKind = 'name' | 'number' | 'string' | 'templateStart' | 'templateMiddle' | 'templateEnd' | 'mark' | 'end';

/** One token. `space` and `newline` describe the text before it, which matters for calls, references and literals. */
export interface Token {
  readonly kind: TokenKind;
  /** The name, the mark, or the content of a string or of a part of a template. */
  readonly text: string;
  readonly number: RegoNumber | null;
  readonly line: number;
  readonly column: number;
  readonly space: boolean;
  readonly newline: boolean;
}

/** Characters of one source. A longer source is refused before it is read. */
const MAX_SOURCE_LENGTH = 1_048_576 * 5;

/** Tokens of one module. Bounds the memory that a source can take. */
const MAX_TOKENS = 1_000_000;

const MARKS = [':=', '==', '!=', '<=', '>=', '=', '<', '>', '+', '-', '*', '/', '%', '&', '|', ',', ';', ':', '.'];
const BRACKETS = '()[]{}';
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Splits a source into tokens. The last token has the kind `end`. Comments and white space are left out.
 * @throws RegoError `parse` with the place, `budget` for sources beyond the limits
 */
export function tokenize(path: string, source: string): Token[] {
  if (source.length > MAX_SOURCE_LENGTH) throw new RegoError('budget', `${path}: source longer than 5 MiB`);
  const reader = new Reader(path, source);
  const tokens: Token[] = [];
  for (;;) {
    const token = reader.next();
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    if (tokens.length > MAX_TOKENS) throw reader.error('budget', `more than ${MAX_TOKENS} tokens`);
  }
}

/** A comment that starts in the first column of its line. */
export interface Comment {
  /** The text after `#`. */
  readonly text: string;
  readonly line: number;
}

/** Returns the comments in the first column of a source, and the line of its first token. */
export function lineComments(
  path: string,
  source: string,
): { readonly comments: Comment[]; readonly firstLine: number } {
  const comments: Comment[] = [];
  const reader = new Reader(path, source, comments);
  const { line: firstLine } = reader.next();
  while (reader.next().kind !== 'end');
  return { comments, firstLine };
}

/** A template whose expression is being read. */
interface OpenTemplate {
  readonly raw: boolean;
  /** Braces that the expression opened and has not closed. */
  braces: number;
}

class Reader {
  private readonly path: string;
  private readonly source: string;
  private readonly templates: OpenTemplate[] = [];
  private at = 0;
  private line = 1;
  private lineStart = 0;
  private readonly comments: Comment[] | null;

  /** @param comments receives the comments in the first column */
  constructor(path: string, source: string, comments: Comment[] | null = null) {
    this.path = path;
    this.source = source;
    this.comments = comments;
  }

  error(kind: 'parse' | 'budget', message: string): RegoError {
    return new RegoError(kind, message, { path: this.path, line: this.line, column: this.at - this.lineStart + 1 });
  }

  next(): Token {
    const start = this.at;
    const line = this.line;
    this.skip();
    const place = {
      line: this.line,
      column: this.at - this.lineStart + 1,
      space: this.at > start || start === 0,
      newline: this.line > line || start === 0,
    };
    if (this.at >= this.source.length) return { kind: 'end', text: '', number: null, ...place };
    const unit = this.source[this.at] ?? '';
    const name = this.match(NAME);
    if (name !== null) return { kind: 'name', text: name, number: null, ...place };
    if (unit === '"') return { kind: 'string', text: this.quoted(), number: null, ...place };
    if (unit === '`') return { kind: 'string', text: this.raw(), number: null, ...place };
    const part = this.template(unit);
    if (part !== null) return { ...part, number: null, ...place };
    const number = this.match(NUMBER);
    if (number !== null) return { kind: 'number', text: number, number: this.number(number), ...place };
    return { kind: 'mark', text: this.mark(unit), number: null, ...place };
  }

  private skip(): void {
    for (;;) {
      const unit = this.source[this.at];
      if (unit === '\n') {
        this.at += 1;
        this.line += 1;
        this.lineStart = this.at;
      } else if (unit === ' ' || unit === '\t' || unit === '\r') {
        this.at += 1;
      } else if (unit === '#') {
        const found = this.source.indexOf('\n', this.at);
        const end = found === -1 ? this.source.length : found;
        if (this.comments !== null && this.at === this.lineStart)
          this.comments.push({ text: this.source.slice(this.at + 1, end).replace(/\r$/, ''), line: this.line });
        this.at = end;
      } else {
        return;
      }
    }
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  private mark(unit: string): string {
    if (BRACKETS.includes(unit)) {
      this.at += 1;
      const template = this.templates.at(-1);
      if (template !== undefined && unit === '{') template.braces += 1;
      if (template !== undefined && unit === '}') template.braces -= 1;
      return unit;
    }
    const mark = MARKS.find((candidate) => this.source.startsWith(candidate, this.at));
    if (mark === undefined) throw this.error('parse', `illegal character ${JSON.stringify(unit)}`);
    this.at += mark.length;
    return mark;
  }

  private number(text: string): RegoNumber {
    if (/^0\d/.test(text)) throw this.error('parse', 'expected number without leading zero');
    if (/[A-Za-z_.]/.test(this.source[this.at] ?? '')) throw this.error('parse', 'illegal number format');
    const number = parseNumber(text.startsWith('.') ? `0${text}` : text);
    if (number === null) throw this.error('parse', `number out of range: ${text.slice(0, 40)}`);
    return number;
  }

  /** Reads a part of a template, if one starts here or the expression before it ends here. */
  private template(unit: string): Pick<Token, 'kind' | 'text'> | null {
    const quote = this.source[this.at + 1];
    if (unit === '$' && (quote === '"' || quote === '`')) {
      this.at += 1;
      const raw = quote === '`';
      const text = raw ? this.raw(true) : this.quoted(true);
      if (this.source[this.at - 1] !== '{') return { kind: 'string', text };
      this.templates.push({ raw, braces: 0 });
      return { kind: 'templateStart', text };
    }
    const open = this.templates.at(-1);
    if (unit !== '}' || open === undefined || open.braces > 0) return null;
    const text = open.raw ? this.raw(true) : this.quoted(true);
    if (this.source[this.at - 1] === '{') return { kind: 'templateMiddle', text };
    this.templates.pop();
    return { kind: 'templateEnd', text };
  }

  /** @param template whether a brace ends the text, too. The caller finds the end in front of `this.at`. */
  private quoted(template = false): string {
    let content = '';
    this.at += 1;
    for (;;) {
      const unit = this.source[this.at];
      if (unit === undefined || unit === '\n') throw this.error('parse', 'non-terminated string');
      this.at += 1;
      if (unit === '"' || (template && unit === '{')) return content.toWellFormed();
      if (unit < ' ' && unit !== '\t') throw this.error('parse', 'illegal character in string');
      content += unit === '\\' ? this.escape(template) : unit;
    }
  }

  private escape(template: boolean): string {
    const unit = this.source[this.at] ?? '';
    if (template && unit === '{') {
      this.at += 1;
      return unit;
    }
    if (unit === 'u') {
      const digits = this.source.slice(this.at + 1, this.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error('parse', 'illegal escape sequence');
      this.at += 5;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = ESCAPES[unit];
    if (plain === undefined) throw this.error('parse', 'illegal escape sequence');
    this.at += 1;
    return plain;
  }

  private raw(template = false): string {
    const start = this.at + 1;
    const ends = template ? /(?<!\\)\{|`/g : /`/g;
    ends.lastIndex = start;
    const end = ends.exec(this.source)?.index ?? -1;
    if (end === -1) throw this.error('parse', 'non-terminated string');
    const content = this.source.slice(start, end);
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) {
      this.line += 1;
      this.lineStart = start + at + 1;
    }
    this.at = end + 1;
    return template ? content.replaceAll('\\{', '{') : content;
  }
}
