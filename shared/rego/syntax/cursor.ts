import { type Location, RegoError } from '../errors.ts';
import type { Dialect } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';

/** Levels of nested brackets, calls and bodies in a source. */
const MAX_SOURCE_NESTING = 250;

/** How often a parser may look at each token. Bounds the time that ambiguous brackets can cost. */
const LOOKS_PER_TOKEN = 30;

/** Words that cannot be variables. `contains` is a keyword only in the head of a rule. */
const KEYWORDS: Readonly<Record<Dialect, readonly string[]>> = {
  v0: 'as default else false import not null package some true with'.split(' '),
  v1: 'as default else every false if import in not null package some true with'.split(' '),
};

/** Walks the tokens of one module and creates its error messages. */
export abstract class Cursor {
  readonly path: string;
  protected readonly dialect: Dialect;
  /** Imports add to it. */
  protected readonly keywords: Set<string>;
  private readonly tokens: readonly Token[];
  private readonly last: Token;
  private at = 0;
  private looks: number;
  private nesting = 0;
  /** Where a keyword may be a name: the start of a rule or of a statement. */
  private nameAt = -1;

  constructor(path: string, source: string, dialect: Dialect) {
    this.path = path;
    this.dialect = dialect;
    this.keywords = new Set(KEYWORDS[dialect]);
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

  /** Returns the place to {@link reset} to. */
  protected mark(): number {
    return this.at;
  }

  protected reset(mark: number): void {
    this.at = mark;
  }

  protected get location(): Location {
    const { line, column } = this.token;
    return { path: this.path, line, column };
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

  /** Whether a mark follows the previous token without white space, as references and calls need it. */
  protected isTight(text: string): boolean {
    return this.isMark(text) && !this.token.space;
  }

  protected isWord(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  /** Whether an operator stands here that is a word. In `in.x` at the start of a line the word is a name. */
  protected isOperatorWord(text: string): boolean {
    return this.isWord(text) && this.keywords.has(text) && !this.isFollowedTightly('.');
  }

  /** Whether a part of a statement starts here with a keyword. In `not.x` and `not[x]` the keyword is a name. */
  protected isStart(text: string): boolean {
    return this.isWord(text) && !this.isFollowedTightly('.', '[');
  }

  /**
   * A keyword is a variable, too, where it starts a reference that starts a rule or a statement. `and(x, y)` and
   * `or(x, y)` are functions everywhere.
   */
  protected isVariable(): boolean {
    if (this.token.kind !== 'name') return false;
    if (!this.keywords.has(this.token.text)) return true;
    if (this.at === this.nameAt && this.isFollowedTightly('.', '[')) return true;
    return (this.isWord('and') || this.isWord('or')) && this.isFollowedTightly('(');
  }

  /** Lets a keyword start a reference here. */
  protected allowKeyword(): void {
    this.nameAt = this.at;
  }

  /** Whether one of some marks follows this token without white space. */
  protected isFollowedTightly(...marks: readonly string[]): boolean {
    const next = this.peek();
    return next.kind === 'mark' && !next.space && marks.includes(next.text);
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

  protected acceptStart(text: string): boolean {
    if (!this.isStart(text)) return false;
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

  /** Parses one level deeper, within the limit of nesting. */
  protected deeper<T>(parse: () => T): T {
    this.nesting += 1;
    if (this.nesting > MAX_SOURCE_NESTING) throw this.error(`nested deeper than ${MAX_SOURCE_NESTING} levels`);
    const result = parse();
    this.nesting -= 1;
    return result;
  }

  /** Tries to parse. Returns to the start, and returns the error, where the source has another form. */
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
