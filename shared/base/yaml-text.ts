import { Composer, CST, isMap, isScalar, isSeq, Lexer, type ParsedNode, Parser } from 'yaml';

/** A YAML document as plain data. Mappings are Maps, so that no key can mean anything to the language. */
export type YamlValue = null | boolean | number | string | YamlValue[] | YamlMap;
export type YamlMap = Map<string, YamlValue>;

/** A text that is not one plain YAML document. The message is fit for the caller and names line and column from 1. */
export class YamlTextError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'YamlTextError';
  }
}

/** The longest text, in bytes (semantics §15: template file, policy file). */
const MAX_BYTES = 1024 * 1024;

/** Enough for some ten thousand list entries; what a token costs later is the most of the effort. */
const MAX_TOKENS = 200_000;

/** Brackets and braces may be nested this deep. */
const MAX_FLOW_DEPTH = 32;

/** A nested block needs at least one column more than its parent, so columns bound the depth of blocks. */
const MAX_BLOCK_COLUMN = 200;

/**
 * Reads one YAML 1.2 document (core schema) with the features that data needs and no others: anchors, aliases, tags,
 * directives, further documents, repeated keys and keys that are not scalars are refused (docs/decisions/0002).
 * The effort is linear in the text's length.
 *
 * @returns null for a text without content
 * @throws YamlTextError
 */
export function parseYaml(text: string): YamlValue {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new YamlTextError('the text is larger than 1 MB');
  refuseUnwantedTokens(text);
  const node = composeOne(text);
  return node === null ? null : plain(node, text);
}

/** Tokens that give power to the text rather than data to the reader. */
const UNWANTED: Partial<Record<CST.TokenType, string>> = {
  anchor: 'anchors are not allowed',
  alias: 'aliases are not allowed',
  tag: 'tags are not allowed',
  'directive-line': 'directives are not allowed',
};

const OPENING: ReadonlySet<string | null> = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSING: ReadonlySet<string | null> = new Set(['flow-map-end', 'flow-seq-end']);
const BLOCK_INDICATORS: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind']);

/** Looks at the tokens before anything is built from them: what is refused here costs no more than reading it. */
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
    // Markers of the lexer stand for nothing in the text.
    if (inScalar || type === 'doc-mode' || type === 'flow-error-end') continue;
    offset += source.length;
    const lineBreak = source.lastIndexOf('\n');
    column = lineBreak < 0 ? column + source.length : source.length - lineBreak - 1;
  }
}

/** Where the parser found a problem: an offset, a range of offsets, or a token. */
type ErrorSource = number | [number, number] | { offset: number };

function composeOne(text: string): ParsedNode | null {
  let first: YamlTextError | undefined;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    strict: true,
    // The parser compares each key with all before it; `plain` finds repeated keys in one pass.
    uniqueKeys: false,
    logLevel: 'error',
  });
  // The parser would collect every error, some at quadratic cost: the first one ends its work instead.
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

/** Recursion is bounded by the depth that {@link refuseUnwantedTokens} let pass. */
function plain(node: ParsedNode | null, text: string): YamlValue {
  if (node === null) return null;
  if (isScalar(node)) return node.value as YamlValue;
  if (isSeq(node)) return (node.items as ParsedNode[]).map((item) => plain(item, text));
  if (!isMap(node)) throw problemAt(text, 0, 'aliases are not allowed');
  const map: YamlMap = new Map();
  for (const { key, value } of node.items as { key: ParsedNode; value: ParsedNode | null }[]) {
    const at = key?.range?.[0] ?? 0;
    if (!isScalar(key)) throw problemAt(text, at, 'a key must be a single value');
    const name = String(key.value);
    if (map.has(name)) throw problemAt(text, at, `the key '${name.slice(0, 80)}' is repeated`);
    map.set(name, plain(value, text));
  }
  return map;
}
