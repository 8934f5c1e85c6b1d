import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { parseNumber } from '#shared/rego/values/decimal.ts';
import { RegoObject, RegoSet, type Value } from '#shared/rego/values/value.ts';

/** One case of `test/rego-cases`; what a case does not say is undefined. */
export interface RegoCase {
  /** File and note, with a number behind it where the file has the note before. */
  readonly id: string;
  readonly modules: readonly string[];
  readonly data: RegoObject;
  readonly input: Value | undefined;
  readonly query: string;
  readonly want: { readonly kind: 'result'; readonly value: Value } | { readonly kind: 'undefined' | 'error' };
  readonly skip: boolean;
}

const FOLDER = join(import.meta.dirname, '../../rego-cases');

/** Reads every case, in the order of files and notes. */
export function readCases(): RegoCase[] {
  const ids = new Map<string, number>();
  return globSync('**/*.yaml', { cwd: FOLDER })
    .sort()
    .flatMap((file) => {
      const document = parseDocument(readFileSync(join(FOLDER, file), 'utf8'), { strict: false });
      const cases = document.get('cases');
      if (!isSeq(cases)) return [];
      return cases.items.map((node) => {
        const fields = valueOfNode(node);
        const id = `${relative('.', file)}: ${String(field(fields, 'note'))}`;
        const count = (ids.get(id) ?? 0) + 1;
        ids.set(id, count);
        return toCase(fields, count === 1 ? id : `${id} (${count})`);
      });
    });
}

function toCase(fields: Value, id: string): RegoCase {
  const modules = field(fields, 'modules');
  const data = field(fields, 'data');
  const result = field(fields, 'want_result');
  const failed = field(fields, 'error') !== undefined;
  return {
    id,
    modules: Array.isArray(modules) ? modules.map(String) : [],
    data: data instanceof RegoObject ? data : new RegoObject(),
    input: field(fields, 'input'),
    query: String(field(fields, 'query')),
    want: failed ? { kind: 'error' } : result === undefined ? { kind: 'undefined' } : { kind: 'result', value: result },
    skip: field(fields, 'skip') === true,
  };
}

function field(fields: Value, name: string): Value | undefined {
  return fields instanceof RegoObject ? fields.get(name) : undefined;
}

/** The value of a YAML node: numbers exactly as written, `set!` and `object!` as the collections they stand for. */
function valueOfNode(node: unknown): Value {
  if (isScalar(node)) return scalar(node.value, node.source);
  if (isSeq(node)) return node.items.map(valueOfNode);
  if (!isMap(node)) return null;
  const pairs = node.items.map(({ key, value }): readonly [Value, Value] => [valueOfNode(key), valueOfNode(value)]);
  const [first] = pairs;
  if (first?.[0] === 'set!' && Array.isArray(first[1])) return RegoSet.of(first[1]);
  if (first?.[0] === 'object!' && Array.isArray(first[1])) {
    return RegoObject.of(
      first[1].map((entry): readonly [Value, Value] => [field(entry, 'key') ?? null, field(entry, 'value') ?? null]),
    );
  }
  return RegoObject.of(pairs);
}

function scalar(value: unknown, source: string | undefined): Value {
  if (typeof value === 'number') return parseNumber(source ?? String(value)) ?? String(value);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
