/** A position in the author's text, wrapper included. Lines and columns count from 1; a column is one character. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const START: Position = { line: 1, column: 1 };

/** An expression that does not parse. The message is for the author: line, column and what was expected. */
export class ExpressionError extends Error {
  constructor(at: Position, problem: string, cause?: unknown) {
    super(placed(at, problem), { cause });
    this.name = 'ExpressionError';
  }
}

export const placed = (at: Position, problem: string): string => `line ${at.line}, column ${at.column}: ${problem}`;

/**
 * - `word`: a keyword, a function, or a path with all its dots
 * - `symbol`: an operator or a bracket
 * - `unknown`: a character that the language does not use
 * - `end`: after the last token
 */
type TokenKind = 'word' | 'string' | 'number' | 'symbol' | 'unknown' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The text of the token; for a string, the text between the quotes. */
  readonly text: string;
  readonly at: Position;
}

/**
 * A path is one word. The key of a tag ends with the token and may contain `-`, `.` and `~`, because the language has
 * no subtraction (`rules/policies.md#tokens`). Strings have no escapes, so that patterns keep their backslashes.
 */
const TOKEN =
  /(?<space>\s+)|(?<word>[A-Za-z_][\w.~-]*)|(?<number>-?\d+(?:\.\d+)?)|(?<string>"[^"]*"|'[^']*')|(?<symbol>==|!=|<=|>=|[<>()[\],])|(?<other>.)/gsuy;

/**
 * Splits the part of `text` between two offsets into tokens. The last token is `end`. Positions count in all of `text`.
 */
export function tokensOf(text: string, from: number, to: number): [Token, ...Token[]] {
  const tokens: Token[] = [];
  let at = after(START, text.slice(0, from));
  // The pattern is sticky and its last alternative matches any character, so the matches cover the text without a gap.
  for (const match of text.slice(from, to).matchAll(TOKEN)) {
    const token = tokenOf(match, at);
    if (token) tokens.push(token);
    at = after(at, match[0]);
  }
  const end: Token = { kind: 'end', text: '', at };
  const [first = end, ...others] = [...tokens, end];
  return [first, ...others];
}

/** Returns the position after `text`. */
export function after({ line, column }: Position, text: string): Position {
  const lines = text.split('\n');
  const width = [...(lines.at(-1) ?? '')].length;
  return lines.length === 1 ? { line, column: column + width } : { line: line + lines.length - 1, column: width + 1 };
}

function tokenOf(match: RegExpExecArray, at: Position): Token | null {
  const { space, word, number, string, symbol, other } = match.groups ?? {};
  if (space !== undefined) return null;
  if (string !== undefined) return { kind: 'string', text: string.slice(1, -1), at };
  if (word !== undefined) return { kind: 'word', text: word, at };
  if (number !== undefined) return { kind: 'number', text: number, at };
  if (symbol !== undefined) return { kind: 'symbol', text: symbol, at };
  if (other === '"' || other === "'") throw new ExpressionError(at, `expected a closing ${other} for this string`);
  return { kind: 'unknown', text: other ?? '', at };
}
