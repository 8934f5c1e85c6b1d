import { isScalar, isSeq, parseAllDocuments } from 'yaml';
import { refusing } from '../builtins/operands.ts';
import { parseUri } from '../builtins/uris.ts';
import { BuiltinError, type Location, RegoError } from '../errors.ts';
import { Budget } from '../limits.ts';
import type { Comment } from '../syntax/lexer.ts';
import { parseQuery } from '../syntax/parser.ts';
import { fromPlain } from '../values/plain.ts';
import { canonicalJson } from '../values/text.ts';
import { RegoObject, type Value } from '../values/value.ts';

/** Characters of all blocks of one module. The YAML parser needs much more time and memory than the engine's own. */
const MAX_METADATA_LENGTH = 65_536;

/** Levels of nesting inside one block. */
const MAX_NESTING = 100;

/** One block of annotations. */
export interface Block {
  /** The line `# METADATA`. */
  readonly at: Location;
  /** Empty if the block names none. */
  readonly scope: string;
  readonly entrypoint: boolean;
  /** What the block says, without its scope. Fields that are empty are left out. */
  readonly fields: readonly (readonly [string, Value])[];
}

/** A mistake in a field. The place is added where the block is known. */
class Invalid extends Error {}

/**
 * Reads the blocks of annotations of a module. A block is a comment `# METADATA` in the first column, with YAML in the
 * comments on the lines that follow directly.
 * @throws RegoError `parse` for a block that is not valid, `budget` for blocks beyond the limit
 */
export function readBlocks(path: string, comments: readonly Comment[]): Block[] {
  const blocks: Block[] = [];
  let length = 0;
  for (const [start, { line }] of comments.entries()) {
    if (!isHead(comments[start])) continue;
    const at = { path, line, column: 1 };
    let end = start + 1;
    while (comments[end]?.line === line + end - start && !isHead(comments[end])) end += 1;
    const lines = comments.slice(start + 1, end).map(({ text }) => (text.startsWith(' ') ? text.slice(1) : text));
    const text = lines.map((one) => `${one}\n`).join('');
    length += text.length;
    if (length > MAX_METADATA_LENGTH) {
      throw new RegoError('budget', `more than ${MAX_METADATA_LENGTH} characters of annotations`, at);
    }
    blocks.push(readBlock(text, at));
  }
  return blocks;
}

function isHead(comment: Comment | undefined): boolean {
  return comment?.text.trimStart().startsWith('METADATA') === true;
}

function readBlock(text: string, at: Location): Block {
  if (text.trim() === '') throw new RegoError('parse', 'expected METADATA block, found whitespace', at);
  try {
    return { at, ...fieldsOf(read(text, at)) };
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof BuiltinError)) throw error;
    throw new RegoError('parse', `invalid annotation: ${error.message}`, at);
  }
}

/** A field by its name: its data, and its node in the text. */
type Fields = (name: string) => { readonly data: unknown; readonly node: unknown };

/** Reads the first document of a text. */
function read(text: string, at: Location): Fields {
  const options = { schema: 'core', merge: true, intAsBigInt: true, prettyErrors: false } as const;
  const found = parseAllDocuments(text, options);
  const document = 'empty' in found ? undefined : found[0];
  const error = document?.errors[0];
  // The library catches its own overflow of the stack.
  if (error?.message.includes('call stack')) throw new RegoError('budget', 'annotations nested too deep', at);
  if (error !== undefined) {
    const line = at.line + text.slice(0, error.pos[0]).split('\n').length;
    throw new RegoError('parse', `invalid annotation: ${error.message.split('\n', 1)[0]}`, { ...at, line });
  }
  // The library resolves aliases, and refuses texts whose aliases multiply.
  const resolve = (): unknown => document?.toJS({ mapAsMap: true }) ?? new Map();
  const data = refusing(ReferenceError, ({ message }) => message, resolve);
  if (!(data instanceof Map)) throw new Invalid('must be a map');
  return (name) => ({ data: data.get(name) ?? null, node: document?.get(name, true) });
}

function fieldsOf(field: Fields): Omit<Block, 'at'> {
  checkCompile(field('compile').data);
  const entrypoint = isTrue(field('entrypoint').data);
  const fields: (readonly [string, Value])[] = [
    ['title', textOf(field, 'title')],
    ['entrypoint', entrypoint ? true : ''],
    ['description', textOf(field, 'description')],
    ['organizations', organizations(field)],
    ['related_resources', list(field, 'related_resources').map(relatedResource)],
    ['authors', list(field, 'authors').map(author)],
    ['schemas', list(field, 'schemas').map(schema)],
    ['custom', mapOf(field, 'custom')],
    ['labels', mapOf(field, 'labels')],
  ];
  return { scope: textOf(field, 'scope'), entrypoint, fields: fields.filter(([, value]) => !isEmpty(value)) };
}

function isEmpty(value: Value): boolean {
  return (
    value === '' || (Array.isArray(value) && value.length === 0) || (value instanceof RegoObject && value.size === 0)
  );
}

function textOf(field: Fields, name: string): string {
  const { data, node } = field(name);
  return data === null ? '' : scalarText(data, node);
}

function organizations(field: Fields): string[] {
  const { node } = field('organizations');
  const items = isSeq(node) ? node.items : [];
  return list(field, 'organizations').flatMap((data, at) => (data === null ? [] : [scalarText(data, items[at])]));
}

/** Returns a string, or the text of another scalar as it is written. */
function scalarText(data: unknown, node?: unknown): string {
  if (typeof data === 'string') return data;
  if (data === null || typeof data === 'object') throw new Invalid('must be a string');
  return (isScalar(node) ? node.source : undefined) ?? String(data);
}

/** The words of YAML 1.1 are read, too, as by OPA. */
function isTrue(data: unknown): boolean {
  if (data === null || data === false || /^(?:[nN]|no|off)$/.test(String(data))) return false;
  if (data !== true && !/^(?:[yY]|yes|on)$/.test(String(data))) throw new Invalid('entrypoint must be true or false');
  return true;
}

function list(field: Fields, name: string): readonly unknown[] {
  const { data } = field(name);
  if (data === null) return [];
  if (!Array.isArray(data)) throw new Invalid(`${name} must be a list`);
  return data;
}

function mapOf(field: Fields, name: string): Value {
  const { data } = field(name);
  if (data === null) return new RegoObject();
  if (!(data instanceof Map)) throw new Invalid(`${name} must be a map`);
  return RegoObject.of([...data].map(([key, value]) => [scalarText(key), toValue(value, 1)] as const));
}

function toValue(data: unknown, level: number): Value {
  if (level > MAX_NESTING) throw new Invalid(`nested deeper than ${MAX_NESTING} levels`);
  if (Array.isArray(data)) return data.map((item: unknown) => toValue(item, level + 1));
  if (data instanceof Map) {
    return RegoObject.of(
      [...data].map(([key, value]) => {
        if (typeof key !== 'string') throw new Invalid('the keys of a map must be strings');
        return [key, toValue(value, level + 1)] as const;
      }),
    );
  }
  if (typeof data === 'number' && !Number.isFinite(data)) throw new Invalid('JSON has no infinite numbers');
  // Binary data and sets have tags in YAML.
  if (data !== null && typeof data === 'object') throw new Invalid('must be a value of JSON');
  return fromPlain(data);
}

/** Reads `https://…` or a map with `ref` and `description`. */
function relatedResource(data: unknown): Value {
  const ref = typeof data === 'string' ? data : member(data, 'ref');
  if (ref === '') throw new Invalid('a related resource needs a ref');
  parseUri(ref, { budget: new Budget() });
  return withoutEmpty({ ref, description: data instanceof Map ? member(data, 'description') : '' });
}

/** Reads `Name <address>` or a map with `name` and `email`. */
function author(data: unknown): Value {
  if (typeof data !== 'string') {
    const [name, email] = [member(data, 'name'), member(data, 'email')];
    if (name === '' && email === '') throw new Invalid('an author needs a name or an email');
    return withoutEmpty({ name, email });
  }
  const words = data.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw new Invalid('an author must not be empty');
  const email = /^<(.*)>$/s.exec(words.at(-1) ?? '')?.[1];
  return withoutEmpty({ name: words.slice(0, email === undefined ? undefined : -1).join(' '), email: email ?? '' });
}

/** Returns a text of a map, or an empty text where the map has no text there. */
function member(data: unknown, name: string): string {
  if (!(data instanceof Map)) throw new Invalid('must be a string or a map');
  const found: unknown = data.get(name);
  return typeof found === 'string' ? found.trim() : '';
}

function withoutEmpty(fields: Readonly<Record<string, string>>): Value {
  return RegoObject.of(Object.entries(fields).filter(([, text]) => text !== ''));
}

/** Reads a map from a document to the name of a schema, or to the schema itself. */
function schema(data: unknown): Value {
  const pair: readonly [unknown, unknown] | undefined = data instanceof Map ? [...data][0] : undefined;
  const path = documentPath(pair?.[0]);
  if (path === null) throw new Invalid('invalid document reference');
  const declared = pair?.[1];
  if (declared instanceof Map) return RegoObject.of(Object.entries({ path, definition: toValue(declared, 1) }));
  if (typeof declared !== 'string') throw new Invalid('invalid schema declaration');
  const name = reference(declared);
  if (name?.[0] !== 'schema') throw new Invalid('invalid schema reference');
  return RegoObject.of(Object.entries({ path, schema: name }));
}

const ROOTS: ReadonlySet<string> = new Set(['data', 'input']);

/** Reads a reference to a document. A single name must be a root document. */
function documentPath(text: unknown): readonly string[] | null {
  const path = reference(text);
  return path?.length === 1 && !ROOTS.has(String(path[0])) ? null : path;
}

/** Reads a reference such as `input.user["name"]` into its names, or returns null for other texts. */
function reference(text: unknown): readonly string[] | null {
  if (typeof text !== 'string') return null;
  const [literal, ...others] = parsed(text);
  if (literal?.expression.type !== 'term' || others.length > 0 || literal.negated) return null;
  const { term } = literal.expression;
  const head = term.type === 'ref' ? term.head : term;
  if (head.type !== 'var') return null;
  const steps = (term.type === 'ref' ? term.path : []).map((step) => {
    if (step.type === 'scalar') return typeof step.value === 'string' ? step.value : canonicalJson(step.value);
    return step.type === 'var' ? step.name : null;
  });
  return steps.includes(null) ? null : [head.name, ...steps.filter((step) => step !== null)];
}

function parsed(text: string): ReturnType<typeof parseQuery> {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof RegoError && error.kind === 'parse') return [];
    throw error;
  }
}

/** Checks the instructions for partial evaluation. The engine has no use for them. */
function checkCompile(data: unknown): void {
  if (data === null) return;
  if (!(data instanceof Map)) throw new Invalid('compile must be a map');
  const unknowns: unknown = data.get('unknowns');
  for (const unknown of Array.isArray(unknowns) ? unknowns : []) {
    if (typeof unknown === 'string' && documentPath(unknown) === null) throw new Invalid('invalid unknowns element');
  }
  const mask: unknown = data.get('mask_rule');
  if (typeof mask === 'string' && reference(mask) === null) throw new Invalid('invalid mask_rule');
}
