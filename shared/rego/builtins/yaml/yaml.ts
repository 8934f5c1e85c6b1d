import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { canonicalJson } from '../../values/text.ts';
import { isArray, isNumber, listOf, RegoObject, sizeOf, type Value, weightOf } from '../../values/value.ts';
import { type Args, accepts, stringAt, valueAt } from '../operands.ts';
import { type Builtin, theme } from '../registry.ts';
import { isBlock, numberScalar, plainScalar, scalarText } from './scalars.ts';

/** YAML: values as text and back. Only the first document of a text is read. */
export const YAML: readonly Builtin[] = theme('encoding', [
  ['yaml.marshal', ['any'], 'string', marshal],
  ['yaml.unmarshal', ['string'], 'any', (args, run) => new Reader(stringAt(args, 0), run).value()],
  ['yaml.is_valid', ['any'], 'boolean', (args, run) => typeof args[0] === 'string' && isValid(args, run)],
]);

const isValid = accepts((args: Args, run: Run) => new Reader(stringAt(args, 0), run).value());

const STRING_TAG = 'tag:yaml.org,2002:str';

/** The parser makes several objects for each sign of a text. */
const STEPS_PER_CHARACTER = 100;

/** Reads a document. A part with an anchor is read once, however often it is used. */
class Reader {
  private readonly text: string;
  private readonly run: Run;
  private readonly anchors = new Map<string, Value>();

  constructor(text: string, run: Run) {
    this.text = text;
    this.run = run;
  }

  value(): Value {
    this.run.budget.string(this.text.length);
    this.run.budget.spend(this.text.length * STEPS_PER_CHARACTER);
    const found = parseAllDocuments(this.text, { schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
    const documents: readonly { contents: unknown; errors: readonly Error[] }[] = 'empty' in found ? [] : found;
    const [error] = documents.flatMap(({ errors }) => errors);
    // The library catches its own overflow of the stack.
    if (error?.message.includes('call stack')) this.run.budget.nesting(Number.POSITIVE_INFINITY);
    if (error !== undefined) throw new BuiltinError(error.message.split('\n', 1)[0] ?? 'invalid YAML');
    const value = this.node(documents[0]?.contents ?? null, 0);
    this.run.budget.weight(weightOf(value));
    return value;
  }

  private node(node: unknown, level: number): Value {
    this.run.budget.spend();
    this.run.budget.nesting(level);
    if (isAlias(node)) return this.alias(node);
    const value = isScalar(node) ? scalar(node) : this.collection(node, level);
    // The parser made the node, but its collections have children of unknown types.
    const anchor = (node as Node | null)?.anchor;
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private alias({ source }: Alias): Value {
    const value = this.anchors.get(source);
    if (value === undefined) throw new BuiltinError(`unknown anchor ${source.slice(0, 50)}`);
    return value;
  }

  private collection(node: unknown, level: number): Value {
    if (isSeq(node)) return node.items.map((item) => this.node(item, level + 1));
    return isMap(node) ? this.map(node, level) : null;
  }

  private map({ items }: YAMLMap, level: number): Value {
    const own = new RegoObject();
    const merged: RegoObject[] = [];
    for (const { key, value } of items) {
      const member = this.node(value, level + 1);
      if (isScalar(key) && key.value === '<<' && key.type === 'PLAIN') merged.push(...mergedInto(member));
      else own.set(keyText(this.node(key, level + 1)), member);
    }
    if (merged.length === 0) return own;
    this.run.budget.spend(40 * merged.reduce((sum, one) => sum + one.size, own.size));
    return RegoObject.of([...merged.toReversed(), own].flatMap((one) => [...one.unordered()]));
  }
}

function scalar(node: Scalar): Value {
  if (node.value instanceof Uint8Array) return Buffer.from(node.value).toString('utf8');
  const text = String(node.value ?? '');
  if (node.tag === STRING_TAG) return text;
  if (node.type !== 'PLAIN' && node.tag === undefined) return text;
  const value = plainScalar(text);
  if (value === undefined) throw new BuiltinError('JSON has no infinite numbers');
  return value;
}

function mergedInto(value: Value): readonly RegoObject[] {
  const sources = isArray(value) ? value : [value];
  return sources.map((one) => {
    if (!(one instanceof RegoObject)) throw new BuiltinError('map merge requires map or sequence of maps as the value');
    return one;
  });
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  if (isNumber(key) || typeof key === 'boolean') return canonicalJson(key);
  throw new BuiltinError('invalid map key');
}

function marshal(args: Args, run: Run): Value {
  const value = valueAt(args, 0);
  run.budget.spend(weightOf(value));
  const writer = new Writer(run);
  return writer.text(value);
}

/** Writes a value. Elements and members that are collections start on lines of their own, two columns further in. */
class Writer {
  private readonly run: Run;
  private length = 0;

  constructor(run: Run) {
    this.run = run;
  }

  text(value: Value): string {
    const written = this.inline(value, 0);
    return `${written ?? this.lines(value, 0).join('\n')}\n`;
  }

  /** Returns the text of a value that needs no line of its own, or starts with a mark and continues below. */
  private inline(value: Value, level: number): string | null {
    if (typeof value === 'string' && isBlock(value)) return this.block(value, level);
    if (typeof value === 'string') return this.counted(scalarText(value), level);
    if (isNumber(value)) return this.counted(numberScalar(value), level);
    if (value === null || typeof value === 'boolean') return this.counted(String(value), level);
    if (sizeOf(value) > 0) return null;
    return value instanceof RegoObject ? '{}' : '[]';
  }

  /** Counts what is written, with its indentation. */
  private counted(text: string, level: number): string {
    this.length += text.length + 2 * level + 2;
    this.run.budget.string(this.length);
    return text;
  }

  private block(text: string, level: number): string {
    const ending = /\n\n$|^\n$/.test(text) ? '+' : text.endsWith('\n') ? '' : '-';
    const indicator = /^[\s]/.test(text) ? '2' : '';
    const indent = ' '.repeat(2 * Math.max(1, level));
    const lines = text.replace(/\n$/, '').split('\n');
    this.counted(text, lines.length * (level + 1));
    return [`|${indicator}${ending}`, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
  }

  private lines(value: Value, level: number): string[] {
    this.run.budget.nesting(level);
    if (value instanceof RegoObject) return value.pairs().flatMap(([key, member]) => this.member(key, member, level));
    return (listOf(value) ?? []).flatMap((item) => {
      const text = this.inline(item, level + 1);
      const [first = '', ...rest] = text === null ? this.lines(item, level + 1) : [text];
      const indent = '  '.repeat(level);
      return [`${indent}- ${text ?? first.trimStart()}`, ...rest];
    });
  }

  private member(key: Value, member: Value, level: number): string[] {
    const start = `${'  '.repeat(level)}${scalarText(typeof key === 'string' ? key : canonicalJson(key))}:`;
    const text = this.inline(member, level + 1);
    return text === null ? [start, ...this.lines(member, level + 1)] : [`${start} ${text}`];
  }
}
