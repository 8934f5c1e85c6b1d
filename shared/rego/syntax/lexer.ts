import { RegoError } from '../errors.ts';
import { parseNumber, type RegoNumber } from '../values/decimal.ts';

export type TokenKind = 'name' | 'number' | 'string' | 'mark' | 'end';

/** One token. `space` and `newline` describe the text before it, which matters for calls, references and literals. */
export interface Token {
  readonly kind: TokenKind;
  /** The name, the mark or the content of a string. */
  readonly text: string;
  readonly number: RegoNumber | null;
  readonly line: number;
  readonly column: number;
  readonly space: boolean;
  readonly newline: boolean;
}

/** Characters of one source. A longer source is refused before it is read. */
export const MAX_SOURCE_LENGTH = 1_048_576 * 5;

/** Tokens of one module. Bounds the memory that a source can take. */
export const MAX_TOKENS = 1_000_000;

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

class Reader {
  private readonly path: string;
  private readonly source: string;
  private at = 0;
  private line = 1;
  private lineStart = 0;

  constructor(path: string, source: string) {
    this.path = path;
    this.source = source;
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
        const end = this.source.indexOf('\n', this.at);
        this.at = end === -1 ? this.source.length : end;
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
      return unit;
    }
    const mark = MARKS.find((candidate) => this.source.startsWith(candidate, this.at));
    if (mark === undefined) {
      if (unit === '$') throw this.error('parse', 'string interpolation is not supported');
      throw this.error('parse', `illegal character ${JSON.stringify(unit)}`);
    }
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

  private quoted(): string {
    let content = '';
    this.at += 1;
    for (;;) {
      const unit = this.source[this.at];
      if (unit === undefined || unit === '\n') throw this.error('parse', 'non-terminated string');
      this.at += 1;
      if (unit === '"') return content;
      if (unit < ' ' && unit !== '\t') throw this.error('parse', 'illegal character in string');
      content += unit === '\\' ? this.escape() : unit;
    }
  }

  private escape(): string {
    const unit = this.source[this.at] ?? '';
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

  private raw(): string {
    const end = this.source.indexOf('`', this.at + 1);
    if (end === -1) throw this.error('parse', 'non-terminated string');
    const content = this.source.slice(this.at + 1, end);
    for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) {
      this.line += 1;
      this.lineStart = this.at + 1 + at + 1;
    }
    this.at = end + 1;
    return content;
  }
}
