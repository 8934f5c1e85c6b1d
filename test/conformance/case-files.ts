import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { parseJson } from '#shared/rego/index.ts';
import { numberOfDouble, parseNumber } from '#shared/rego/values/decimal.ts';
import { RegoObject, RegoSet, type Value } from '#shared/rego/values/value.ts';
import { filesOf, UsageError } from './folder-command.ts';

/** The fields of one case with the place where the case was found. */
export interface CaseRecord {
  /** Path of the file below the folder, with `/` between its parts. */
  readonly file: string;
  /** The case itself; anything but an object is a mistake in the file. */
  readonly fields: Value;
  /** Names of the folders around the file, the folder of the run first. They may name the language version. */
  readonly folders: readonly string[];
  /** Whether the file gives the value of a query, and not its bindings: see {@link givesValues}. */
  readonly givesValues: boolean;
}

/** What {@link readFolder} found. */
export interface CaseFolder {
  readonly records: readonly CaseRecord[];
  /** One sentence for each file that could not be read as cases. */
  readonly unreadable: readonly string[];
}

/**
 * Reads every case file of a folder and the folders below it, in the order of their paths.
 * @throws UsageError when the folder is missing, is not a folder or holds no case file
 */
export function readFolder(folder: string): CaseFolder {
  const files = filesOf(folder, '**/*.{yaml,yml,json}');
  if (files.length === 0) throw new UsageError(`The folder ${folder} holds no .yaml, .yml or .json file.`);
  const records: CaseRecord[] = [];
  const unreadable: string[] = [];
  for (const file of files) {
    try {
      records.push(...readFile(folder, file));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      unreadable.push(error.message);
    }
  }
  if (records.length === 0 && unreadable.length === 0) throw new UsageError(`The files of ${folder} hold no case.`);
  return { records, unreadable };
}

/**
 * Reads one YAML or JSON file as a value. Numbers keep their text.
 * @param name how messages name the file
 * @throws UsageError when the file is missing or its text is neither YAML nor JSON
 */
export function readValue(path: string, name: string): Value {
  if (!existsSync(path)) throw new UsageError(`The file ${name} does not exist.`);
  const text = readFileSync(path, 'utf8');
  try {
    return path.endsWith('.json') ? parseJson(text) : parseYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const kind = path.endsWith('.json') ? 'JSON' : 'YAML';
    throw new UsageError(`The file ${name} is not ${kind}: ${error.message.split('\n')[0]}`);
  }
}

function readFile(folder: string, file: string): CaseRecord[] {
  const document = readValue(join(folder, file), file);
  const cases = fieldOf(document, 'cases');
  if (!Array.isArray(cases)) throw new UsageError(`The file ${file} has no list \`cases\`.`);
  const parts = file.split(/[/\\]/);
  const folders = [basename(resolve(folder)), ...parts.slice(0, -1)];
  const values = givesValues(cases);
  return cases.map((fields: Value) => ({ file: parts.join('/'), fields, folders, givesValues: values }));
}

/**
 * Whether the cases of a file give the value of the query itself. OPA's suite gives bindings: a list of objects. Suites
 * of other engines give the value, and show it by fields that OPA's suite does not have or by a result that is no list
 * of objects. The whole file decides, because `want_result: []` alone can be read both ways.
 */
function givesValues(cases: readonly Value[]): boolean {
  return cases.some((one) => {
    if (fieldOf(one, 'no_result') !== undefined || fieldOf(one, 'error') !== undefined) return true;
    const result = fieldOf(one, 'want_result');
    return result !== undefined && !isListOfObjects(result);
  });
}

/** Whether a value has the form of bindings. */
export function isListOfObjects(value: Value): value is readonly RegoObject[] {
  return Array.isArray(value) && value.every((row) => row instanceof RegoObject);
}

/** A field of a case; undefined where the case does not have the field. */
export function fieldOf(fields: Value, name: string): Value | undefined {
  return fields instanceof RegoObject ? fields.get(name) : undefined;
}

/**
 * Parses YAML. Common YAML readers accept the lines of a multi-line `[…]` or `{…}` at any indentation, and suites rely
 * on that. The library does not, so each line that it refuses for its indentation is indented once and the text read
 * again.
 * @throws SyntaxError
 */
function parseYaml(text: string): Value {
  const lines = text.split('\n');
  const indented = new Set<number>();
  for (;;) {
    const document = parseDocument(lines.join('\n'), { strict: false, uniqueKeys: false });
    const [error] = document.errors;
    if (error === undefined) return valueOfNode(document.contents, document);
    const at = (error.linePos?.[0].line ?? 0) - 1;
    const line = lines[at];
    if (error.code !== 'BAD_INDENT' || line === undefined || indented.has(at)) throw new SyntaxError(error.message);
    indented.add(at);
    lines[at] = `${' '.repeat(80)}${line}`;
  }
}

/** The value of a YAML node. `set!` and `object!` are how other suites write sets and objects with any keys. */
function valueOfNode(node: unknown, document: Document): Value {
  if (isAlias(node)) return valueOfNode(node.resolve(document), document);
  if (isScalar(node)) return valueOfScalar(node.value, node.source);
  if (isSeq(node)) return node.items.map((item) => valueOfNode(item, document));
  if (!isMap(node)) return null;
  const pairs = node.items.map(({ key, value }): readonly [Value, Value] => [
    valueOfNode(key, document),
    valueOfNode(value, document),
  ]);
  const [first] = pairs;
  if (first?.[0] === 'set!' && Array.isArray(first[1])) return RegoSet.of(first[1]);
  if (first?.[0] === 'object!' && Array.isArray(first[1])) {
    return RegoObject.of(
      first[1].map((entry): readonly [Value, Value] => [
        fieldOf(entry, 'key') ?? null,
        fieldOf(entry, 'value') ?? null,
      ]),
    );
  }
  return RegoObject.of(pairs);
}

function valueOfScalar(value: unknown, source: string | undefined): Value {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') return null;
  const written = parseNumber(source ?? '');
  if (written !== null) return written;
  return Number.isFinite(value) ? numberOfDouble(value) : String(source);
}
