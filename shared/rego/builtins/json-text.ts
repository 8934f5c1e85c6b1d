import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { canonicalJson, keyText } from '../values/text.ts';
import { listOf, RegoObject, type Value } from '../values/value.ts';
import { type Args, objectAt, payForText, valueAt } from './operands.ts';

interface Layout {
  readonly prefix: string;
  readonly indent: string;
}

/** Writes JSON on one line, or with one line for each element. */
export function marshalWithOptions(args: Args, run: Run): Value {
  const value = valueAt(args, 0);
  const layout = layoutOf(objectAt(args, 1));
  payForText(value, run.budget);
  if (layout !== null) return new Lines(layout, run).text(value);
  const encoded = canonicalJson(value);
  run.budget.string(encoded.length);
  return encoded;
}

/** Returns null for JSON on one line. Naming a prefix or an indentation asks for lines, unless `pretty` is false. */
function layoutOf(options: RegoObject): Layout | null {
  const unknown = options.pairs().find(([name]) => name !== 'pretty' && name !== 'prefix' && name !== 'indent');
  if (unknown !== undefined) throw new BuiltinError('operand 2 has an unknown key');
  const text = (name: string, fallback: string) => {
    const value = options.get(name) ?? fallback;
    if (typeof value !== 'string') throw new BuiltinError(`${name} must be a string`);
    return value;
  };
  const pretty = options.get('pretty') ?? (options.has('prefix') || options.has('indent'));
  if (typeof pretty !== 'boolean') throw new BuiltinError('pretty must be a boolean');
  const layout = { prefix: text('prefix', ''), indent: text('indent', '\t') };
  return pretty ? layout : null;
}

class Lines {
  private readonly layout: Layout;
  private readonly run: Run;
  private length = 0;

  constructor(layout: Layout, run: Run) {
    this.layout = layout;
    this.run = run;
  }

  text(value: Value): string {
    return this.layout.prefix + this.value(value, 0);
  }

  private value(value: Value, level: number): string {
    this.run.budget.nesting(level);
    const list = listOf(value)?.map((one) => this.value(one, level + 1));
    if (list !== undefined) return this.list('[', list, ']', level);
    if (!(value instanceof RegoObject)) return canonicalJson(value);
    const members = value
      .pairs()
      .map(([key, member]) => `${canonicalJson(keyText(key))}: ${this.value(member, level + 1)}`);
    return this.list('{', members, '}', level);
  }

  private list(open: string, items: readonly string[], close: string, level: number): string {
    if (items.length === 0) return open + close;
    const { prefix, indent } = this.layout;
    this.length += (items.length + 1) * (prefix.length + indent.length * (level + 1) + 2);
    this.run.budget.string(this.length);
    const start = (depth: number) => `\n${prefix}${indent.repeat(depth)}`;
    return `${open}${items.map((item) => start(level + 1) + item).join(',')}${start(level)}${close}`;
  }
}
