import { Composer, CST, isMap, isScalar, isSeq, Lexer, type ParsedNode, Parser } from 'yaml';
import { cutText } from './well-formed.ts';

/** A YAML document as plain data. Mappings are Maps, so that no key has a meaning for JavaScript. */
export type YamlValue = null | boolean | number | string | YamlValue[] | YamlMap;
export type YamlMap = Map<string, YamlValue>;

/**
 * A text that is not one plain YAML document. The message may be shown to the caller and names line and column, counted
 * from 1.
 */
export class YamlTextError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'YamlTextError';
  }
}

/** The longest text, in bytes (rules/requests.md#limits-of-values). */
const MAX_BYTES = 1024 * 1024;

/** Enough for ten thousand list entries. Most of the work is done per token. */
const MAX_TOKENS = 200_000;

/** Deepest nesting of brackets and braces. */
const MAX_FLOW_DEPTH = 32;

/** Each nested block is indented by at least one more column, so this limit of columns bounds the depth of blocks. */
const MAX_BLOCK_COLUMN = 200;

/**
 * Reads one YAML 1.2 document (core schema) with the features that data needs. Anchors, aliases, tags, directives,
 * further documents, repeated keys and keys that are not scalars are refused (docs/decisions/0002). The work is linear
 * in the length of the text.
 * @returns null for a text without content
 * @throws YamlTextError
 */
export function parseYaml(text: string): YamlValue {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new YamlTextError('the text is larger than 1 MB');
  refuseUnwantedTokens(text);
  const node = composeOne(text);
  return node === null ? null : plain(node, text);
}

/** Tokens of refused features. */
const UNWANTED: Partial<Record<CST.TokenType, string>> = {
  anchor: 'anchors are not allowed',
  alias: 'aliases are not allowed',
  tag: 'tags are not allowed',
  'directive-line': 'directives are not allowed',
};

const OPENING: ReadonlySet<string | null> = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSING: ReadonlySet<string | null> = new Set(['flow-map-end', 'flow-seq-end']);
const BLOCK_INDICATORS: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind']);

/** Checks the tokens before anything is built from them, so that refusing a text costs no more than reading it. */
function refuseUnwantedTokens(text: string): void {
  let tokens = 0;
  let offset = 0;
  let column = 0;
  let flowDepth = 0;
  let indented = false;
  let inScalar = false;
  for (const source of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MAX_TOKENS) throw new YamlTextError('the text has too many elements');
    const type: CST.TokenType | null = inScalar ? null : CST.tokenType(source);
    const unwanted = type && UNWANTED[type];
    if (unwanted) throw problemAt(text, offset, unwanted);
    if (OPENING.has(type)) flowDepth += 1;
    if (CLOSING.has(type)) flowDepth -= 1;
    const tooDeep =
      flowDepth > MAX_FLOW_DEPTH ||
      (BLOCK_INDICATORS.has(type) && column > MAX_BLOCK_COLUMN) ||
      (indented && type !== 'newline' && type !== 'comment' && flowDepth === 0);
    if (tooDeep) throw problemAt(text, offset, 'nested too deep');
    indented = type === 'space' && column === 0 && source.length > MAX_BLOCK_COLUMN;
    inScalar = type === 'scalar';
    // Markers of the lexer are no text of the document.
    if (inScalar || type === 'doc-mode' || type === 'flow-error-end') continue;
    offset += source.length;
    const lineBreak = source.lastIndexOf('\n');
    column = lineBreak < 0 ? column + source.length : source.length - lineBreak - 1;
  }
}

/** The place of a problem: an offset, a range of offsets, or a token. */
type ErrorSource = number | [number, number] | { offset: number };

function composeOne(text: string): ParsedNode | null {
  let first: YamlTextError | undefined;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    strict: true,
    // The parser would compare each key with all earlier keys; `plain` finds repeated keys in one pass.
    uniqueKeys: false,
    logLevel: 'error',
  });
  // The parser would collect all errors, some in quadratic time. The first error stops it instead.
  Object.assign(composer, {
    onError: (source: ErrorSource, _code: string, message: string) => {
      first ??= problemAt(text, offsetOf(source), message);
      throw first;
    },
  });
  try {
    let document: ParsedNode | null = null;
    let seen = false;
    for (const token of new Parser().parse(text)) {
      if (token.type === 'error') throw problemAt(text, token.offset, token.message);
      for (const { contents } of composer.next(token)) {
        if (seen) throw new YamlTextError('only one document is allowed');
        seen = true;
        document = contents;
      }
    }
    for (const { contents } of composer.end()) {
      if (seen) throw new YamlTextError('only one document is allowed');
      document = contents;
    }
    return document;
  } catch (error) {
    if (error instanceof YamlTextError) throw first ?? error;
    throw new YamlTextError('not YAML', error);
  }
}

const offsetOf = (source: ErrorSource): number =>
  typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;

function problemAt(text: string, offset: number, message: string): YamlTextError {
  const before = text.slice(0, offset).split('\n');
  return new YamlTextError(`line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${message}`);
}

/** The text itself is UTF-8, so only escapes make half a surrogate pair (rules/requests.md#well-formed-text). */
function refuseIllFormed(value: string, text: string, offset: number): void {
  if (!value.isWellFormed()) throw problemAt(text, offset, 'a text contains half of a surrogate pair');
}

/** Recursion is bounded by the depth that {@link refuseUnwantedTokens} let pass. */
function plain(node: ParsedNode | null, text: string): YamlValue {
  if (node === null) return null;
  if (isScalar(node)) {
    if (typeof node.value === 'string') refuseIllFormed(node.value, text, node.range[0]);
    // The core schema makes null, booleans, numbers and texts of scalars.
    return node.value as YamlValue;
  }
  // The parser made the nodes, and every item of a parsed list is a parsed node.
  if (isSeq(node)) return (node.items as ParsedNode[]).map((item) => plain(item, text));
  if (!isMap(node)) throw problemAt(text, 0, 'aliases are not allowed');
  const map: YamlMap = new Map();
  // The parser made the nodes, and every pair of a parsed map has a parsed key.
  for (const { key, value } of node.items as { key: ParsedNode; value: ParsedNode | null }[]) {
    const at = key?.range?.[0] ?? 0;
    if (!isScalar(key)) throw problemAt(text, at, 'a key must be a single value');
    const name = String(key.value);
    refuseIllFormed(name, text, at);
    if (map.has(name)) throw problemAt(text, at, `the key '${cutText(name, 80)}' is repeated`);
    map.set(name, plain(value, text));
  }
  return map;
}
