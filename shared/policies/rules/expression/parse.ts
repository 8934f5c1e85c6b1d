import { RE2JS, RE2JSException } from 're2js';
import { shortenText } from '#shared/base/well-formed.ts';
import {
  COMPARISONS,
  type Comparison,
  type Expression,
  IDENTITY_FIELDS,
  NAMES,
  type Name,
  type Node,
  type Reference,
  STATEMENT_FIELDS,
} from './ast.ts';
import { parseDecimal } from './decimal.ts';
import { after, ExpressionError, type Position, START, type Token, tokensOf } from './tokens.ts';

/** The longest expression, wrapper included, in characters (`rules/policies.md#limits`). */
export const MAX_EXPRESSION_LENGTH = 4096;

/** The deepest nesting of brackets, lists, calls and `not`. */
export const MAX_EXPRESSION_DEPTH = 32;

/** The largest pattern, in instructions of the engine. A repetition count makes a short pattern large. */
export const MAX_PATTERN_SIZE = 1000;

/**
 * Parses an expression of a policy (`rules/policies.md#grammar`). The wrapper `${{ }}` is optional.
 * @param options `identity`: whether the expression can read who reported (`rules/policies.md#reported-by`); `statement`: whether it
 *   can read what was signed (`rules/policies.md#statements`)
 * @throws ExpressionError with line, column and what was expected there
 */
export function parseExpression(source: string, { identity = false, statement = false } = {}): Expression {
  const length = [...source].length;
  if (length > MAX_EXPRESSION_LENGTH) {
    throw new ExpressionError(START, `expected at most ${MAX_EXPRESSION_LENGTH} characters, found ${length}`);
  }
  const [from, to] = unwrapped(source);
  const root = new Parser(tokensOf(source, from, to), { identity, statement }).whole();
  return { text: source.slice(from, to).trim(), root };
}

const OPENING = '${{';
const CLOSING = '}}';

/** The range of the expression inside its wrapper. */
function unwrapped(source: string): [from: number, to: number] {
  const to = source.trimEnd().length;
  const from = source.length - source.trimStart().length;
  if (!source.startsWith(OPENING, from)) return [from, Math.max(from, to)];
  const inner = from + OPENING.length;
  if (to - CLOSING.length < inner || !source.endsWith(CLOSING, to)) {
    throw new ExpressionError(after(START, source.slice(0, to)), `expected '${CLOSING}' to close '${OPENING}'`);
  }
  return [inner, to - CLOSING.length];
}

const OPERAND = "a value, a call or '('";
const TERM = "a value, a call, 'not' or '('";
const IDENTITY_REFERENCES = ['identity', 'identity.<field>', 'identity.claims.<name>'];
const REFERENCES = namesFor({ identity: false, statement: false });
const TAG_PREFIX = 'flow.tags.';
const IDENTITY_PREFIX = 'identity.';
const CLAIM_PREFIX = 'identity.claims.';
const STATEMENT_PREFIX = 'statement.';
const KEYWORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'true', 'false', 'exists', 'matches']);

/** What an expression can read beside artifact and flow. */
interface Readable {
  identity: boolean;
  statement: boolean;
}

/** One method per line of the grammar. The last token, `end`, is never taken away, so there is always a token. */
class Parser {
  #token: Token;
  readonly #rest: Token[];
  #depth = 0;
  /** Whether a comparison operator would have been allowed as the next token. */
  #comparable = false;

  readonly #reads: Readable;

  constructor([first, ...others]: [Token, ...Token[]], reads: Readable) {
    this.#reads = reads;
    this.#token = first;
    this.#rest = others.reverse();
  }

  whole(): Node {
    const root = this.#or();
    if (this.#token.kind !== 'end') throw this.#expected(this.#continuation('the end'));
    return root;
  }

  #or(): Node {
    return this.#chain('or', () => this.#chain('and', () => this.#not()));
  }

  /** A list of operands rather than a tree of pairs, so that a long chain is not a deep one. */
  #chain(word: 'and' | 'or', operand: () => Node): Node {
    const first = operand();
    const operands = [first];
    while (this.#takeIf('word', word)) operands.push(operand());
    return operands.length === 1 ? first : { kind: word, operands, at: first.at };
  }

  #not(): Node {
    const { at } = this.#token;
    if (!this.#takeIf('word', 'not')) return this.#comparison();
    return { kind: 'not', operand: this.#nested(at, () => this.#not()), at };
  }

  #comparison(): Node {
    const left = this.#primary(TERM);
    const operator = comparisonOf(this.#token);
    this.#comparable = operator === undefined;
    if (!operator) return left;
    this.#take();
    const right = this.#primary(OPERAND);
    this.#comparable = false;
    return { kind: 'comparison', operator, left, right, at: left.at };
  }

  #primary(expected: string): Node {
    const token = this.#token;
    const { kind, text, at } = token;
    if (kind === 'string') {
      this.#take();
      return { kind: 'string', value: text, at };
    }
    if (kind === 'number') return this.#number();
    if (kind === 'word') return this.#word(token, expected);
    if (this.#takeIf('symbol', '(')) {
      const inner = this.#nested(at, () => this.#or());
      this.#require(')', this.#continuation("')'"));
      return inner;
    }
    if (this.#takeIf('symbol', '[')) return this.#nested(at, () => this.#list(at));
    throw this.#expected(expected);
  }

  #number(): Node {
    const { text, at } = this.#take();
    const value = parseDecimal(text);
    if (!value) throw new Error(`The tokenizer accepted ${text} as a number, but it cannot be parsed as one`);
    return { kind: 'number', value, at };
  }

  #word({ text, at }: Token, expected: string): Node {
    switch (text) {
      case 'true':
      case 'false':
        this.#take();
        return { kind: 'boolean', value: text === 'true', at };
      case 'exists':
        this.#take();
        return this.#exists(at);
      case 'matches':
        this.#take();
        return this.#nested(at, () => this.#matches(at));
      default:
        return this.#reference(expected);
    }
  }

  #list(at: Position): Node {
    const items: Node[] = [];
    if (this.#takeIf('symbol', ']')) return { kind: 'list', items, at };
    do items.push(this.#primary('a value'));
    while (this.#takeIf('symbol', ','));
    this.#require(']', "',' or ']'");
    return { kind: 'list', items, at };
  }

  #exists(at: Position): Node {
    this.#require('(');
    if (this.#token.kind !== 'word') throw this.#expected(REFERENCES);
    const of = this.#reference(REFERENCES);
    this.#require(')');
    return { kind: 'exists', of, at };
  }

  #matches(at: Position): Node {
    this.#require('(');
    const input = this.#primary('a value');
    this.#require(',');
    if (this.#token.kind !== 'string') throw this.#expected('a pattern in quotes');
    const pattern = linearPattern(this.#take());
    this.#require(')');
    return { kind: 'matches', input, pattern, at };
  }

  #reference(expected: string): Reference {
    const { text, at } = this.#token;
    if (KEYWORDS.has(text)) throw this.#expected(expected);
    const { identity, statement } = this.#reads;
    const found =
      referenceOf(text, at) ??
      (identity ? identityReference(text, at) : null) ??
      (statement ? statementReference(text, at) : null);
    if (!found) throw new ExpressionError(at, `unknown name ${quoted(text)}, expected ${namesFor(this.#reads)}`);
    this.#take();
    return found;
  }

  #nested<T>(at: Position, parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_EXPRESSION_DEPTH) {
      throw new ExpressionError(at, `expected nesting of at most ${MAX_EXPRESSION_DEPTH} levels`);
    }
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  #take(): Token {
    const taken = this.#token;
    this.#token = this.#rest.pop() ?? taken;
    return taken;
  }

  #takeIf(kind: 'word' | 'symbol', text: string): boolean {
    if (this.#token.kind !== kind || this.#token.text !== text) return false;
    this.#take();
    return true;
  }

  /** Describes which tokens may follow a complete part of an expression. */
  #continuation(end: string): string {
    return `${this.#comparable ? 'a comparison, ' : ''}'and', 'or' or ${end}`;
  }

  #require(symbol: string, expected = `'${symbol}'`): void {
    if (!this.#takeIf('symbol', symbol)) throw this.#expected(expected);
  }

  #expected(what: string): ExpressionError {
    const { kind, text, at } = this.#token;
    return new ExpressionError(at, `expected ${what}, found ${kind === 'end' ? 'the end' : quoted(text)}`);
  }
}

function referenceOf(text: string, at: Position): Reference | null {
  if (isName(text)) return { kind: 'name', name: text, at };
  const key = behind(TAG_PREFIX, text);
  return key === null ? null : { kind: 'tag', key, at };
}

function identityReference(text: string, at: Position): Reference | null {
  if (text === 'identity') return { kind: 'identity', field: null, at };
  const key = behind(CLAIM_PREFIX, text);
  if (key !== null) return { kind: 'claim', key, at };
  const field = IDENTITY_FIELDS.find((one) => text === `${IDENTITY_PREFIX}${one}`);
  return field === undefined ? null : { kind: 'identity', field, at };
}

function statementReference(text: string, at: Position): Reference | null {
  if (text === 'statement') return { kind: 'statement', field: null, at };
  const field = STATEMENT_FIELDS.find((one) => text === `${STATEMENT_PREFIX}${one}`);
  return field === undefined ? null : { kind: 'statement', field, at };
}

function namesFor({ identity, statement }: Readable): string {
  const names = [...NAMES, 'flow.tags.<key>', ...(identity ? IDENTITY_REFERENCES : [])].join(', ');
  if (statement) return `${names}, statement or ${STATEMENT_FIELDS.map((field) => `statement.${field}`).join(', ')}`;
  return names.replace(/, ([^,]+)$/, ' or $1');
}

/** Returns what follows a prefix; null if nothing does, or if the text has another beginning. */
const behind = (prefix: string, text: string): string | null =>
  text.length > prefix.length && text.startsWith(prefix) ? text.slice(prefix.length) : null;

const isName = (text: string): text is Name => NAMES.some((name) => name === text);

function comparisonOf({ kind, text }: Token): Comparison | undefined {
  if (kind !== 'symbol' && kind !== 'word') return undefined;
  return COMPARISONS.find((operator) => operator === text);
}

/** Names and texts are shown up to this many characters. */
const SHOWN = 80;
const quoted = (text: string): string => `'${shortenText(text, SHOWN)}'`;

/** Compiles a pattern when the policy is read. A pattern that the engine refuses is an error of the policy file. */
function linearPattern({ text, at }: Token): RE2JS {
  const pattern = compiled(text, at);
  if (pattern.programSize() > MAX_PATTERN_SIZE) {
    throw new ExpressionError(at, `expected a smaller pattern: this one has ${pattern.programSize()} parts`);
  }
  return pattern;
}

function compiled(text: string, at: Position): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ExpressionError(at, `expected a regular expression: ${error.message}`, error);
  }
}
