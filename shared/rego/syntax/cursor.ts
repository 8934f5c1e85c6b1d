import { type Location, RegoError } from '../errors.ts';
import { type Token, tokenize } from './lexer.ts';

/** Brackets, calls and bodies may be nested this deep in a source. */
export const MAX_SOURCE_NESTING = 250;

/** A parser may look at each token this often before it gives up: a bound on what ambiguous brackets can cost. */
const LOOKS_PER_TOKEN = 30;

/** Words that are no variables; `contains` is one only in heads of rules. */
const KEYWORDS = new Set('as default else every false if import in not null package some true with'.split(' '));

/** A place to come back to. */
export interface Mark {
  readonly at: number;
}

/** Walks the tokens of one module and knows how to complain. */
export abstract class Cursor {
  readonly path: string;
  private readonly tokens: readonly Token[];
  private readonly last: Token;
  private at = 0;
  private looks: number;
  private nesting = 0;

  constructor(path: string, source: string) {
    this.path = path;
    const tokens = tokenize(path, source);
    const last = tokens.at(-1);
    if (last === undefined) throw new TypeError('a token list ends with its end');
    this.tokens = tokens;
    this.last = last;
    this.looks = tokens.length * LOOKS_PER_TOKEN + 1000;
  }

  protected get token(): Token {
    return this.tokens[this.at] ?? this.last;
  }

  protected peek(ahead = 1): Token {
    return this.tokens[this.at + ahead] ?? this.last;
  }

  protected advance(): Token {
    const token = this.token;
    this.looks -= 1;
    if (this.looks < 0) throw this.error('source too ambiguous to parse');
    if (this.at < this.tokens.length - 1) this.at += 1;
    return token;
  }

  protected mark(): Mark {
    return { at: this.at };
  }

  protected reset(mark: Mark): void {
    this.at = mark.at;
  }

  protected get location(): Location {
    return this.locate(this.token);
  }

  protected locate(token: Token): Location {
    return { path: this.path, line: token.line, column: token.column };
  }

  protected error(message: string, at: Location = this.location): RegoError {
    return new RegoError('parse', message, at);
  }

  protected unexpected(expected: string): RegoError {
    const { kind, text } = this.token;
    return this.error(`unexpected ${kind === 'end' ? 'end of source' : JSON.stringify(text)}: expected ${expected}`);
  }

  protected isMark(text: string): boolean {
    return this.token.kind === 'mark' && this.token.text === text;
  }

  /** A mark directly after the previous token: references and calls bear no white space. */
  protected isTight(text: string): boolean {
    return this.isMark(text) && !this.token.space;
  }

  protected isWord(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  protected isVariable(token: Token = this.token): boolean {
    return token.kind === 'name' && !KEYWORDS.has(token.text);
  }

  protected accept(text: string): boolean {
    if (!this.isMark(text)) return false;
    this.advance();
    return true;
  }

  protected acceptWord(text: string): boolean {
    if (!this.isWord(text)) return false;
    this.advance();
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(JSON.stringify(text));
  }

  protected variable(): string {
    if (!this.isVariable()) throw this.unexpected('variable');
    return this.advance().text;
  }

  /** Runs one level deeper, within the limit of nesting. */
  protected deeper<T>(parse: () => T): T {
    this.nesting += 1;
    if (this.nesting > MAX_SOURCE_NESTING) throw this.error(`nested deeper than ${MAX_SOURCE_NESTING} levels`);
    const result = parse();
    this.nesting -= 1;
    return result;
  }

  /** Tries to parse, and comes back to where it was (with null) where the source is not of that form. */
  protected attempt<T>(parse: () => T): T | RegoError {
    const mark = this.mark();
    const nesting = this.nesting;
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof RegoError) || error.kind !== 'parse' || this.looks < 0) throw error;
      this.reset(mark);
      this.nesting = nesting;
      return error;
    }
  }
}
