import { canonicalJson, parseJson, type Value } from '#shared/rego/index.ts';
import { Decimal } from '#shared/rego/values/decimal.ts';
import { RegoObject } from '#shared/rego/values/value.ts';
import { type CaseRecord, fieldOf, isListOfObjects } from './case-files.ts';

/** What a case wants of the engine. */
export type Want =
  /** The bindings of the query's variables, one object per result, in any order. */
  | { readonly kind: 'bindings'; readonly rows: readonly RegoObject[] }
  /** The value of the query. */
  | { readonly kind: 'value'; readonly value: Value }
  /** Whether the query has a result at all. */
  | { readonly kind: 'defined'; readonly defined: boolean }
  /** A refusal. `code` is one of OPA's codes; without a code every refusal fits. */
  | { readonly kind: 'error'; readonly code: string | null; readonly text: string | null };

/** One case that can be run. */
export interface Case {
  /** File and note. A number follows where the file has the same note more than once. */
  readonly id: string;
  /** The class: the first part of the note (`strings` in `strings/upper`), else the folder, else the file. */
  readonly group: string;
  readonly query: string;
  readonly modules: readonly string[];
  readonly data: RegoObject;
  readonly input: Value | undefined;
  /** The input as a Rego term, for inputs that JSON cannot hold. */
  readonly inputTerm: string | null;
  readonly want: Want;
  /** Whether errors of built-in functions end the evaluation. */
  readonly strict: boolean;
  /** Whether the order of arrays inside the result does not matter. */
  readonly sorted: boolean;
  /** The language version that a folder named `v0` or `v1` states; null where no folder states one. */
  readonly version: 'v0' | 'v1' | null;
}

/** A case that cannot be run, with the reason as a sentence. */
export interface BrokenCase {
  readonly id: string;
  readonly group: string;
  readonly problem: string;
}

/** Turns the records of a folder into cases. Cases that their authors marked with `skip: true` are left out. */
export function casesOf(records: readonly CaseRecord[]): (Case | BrokenCase)[] {
  const counts = new Map<string, number>();
  return records
    .filter(({ fields }) => fieldOf(fields, 'skip') !== true)
    .map((record) => {
      const note = textOf(fieldOf(record.fields, 'note')) ?? 'no note';
      const place = `${record.file}: ${note}`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return caseOf(record, count === 1 ? place : `${place} (${count})`, groupOf(record.file, note));
    });
}

function groupOf(file: string, note: string): string {
  const [, first] = /^([\w.-]+)\//.exec(note) ?? [];
  const folder = file.split('/').slice(0, -1).join('/');
  return first ?? (folder === '' ? file.replace(/\.[a-z]+$/, '') : folder);
}

function caseOf(record: CaseRecord, id: string, group: string): Case | BrokenCase {
  const { fields } = record;
  const query = fieldOf(fields, 'query');
  const modules = fieldOf(fields, 'modules') ?? [];
  const data = documentOf(record, 'data') ?? new RegoObject();
  const want = wantOf(record);
  if (!(fields instanceof RegoObject)) return { id, group, problem: 'The case is no object.' };
  if (typeof query !== 'string') return { id, group, problem: 'The case has no text `query`.' };
  if (!isTextList(modules)) return { id, group, problem: '`modules` is no list of texts.' };
  if (!(data instanceof RegoObject)) return { id, group, problem: '`data` is no object.' };
  if (want === null) {
    return { id, group, problem: 'The case has none of `want_result`, `want_error`, `want_error_code`.' };
  }
  return {
    id,
    group,
    query,
    modules,
    data,
    input: documentOf(record, 'input'),
    inputTerm: textOf(fieldOf(fields, 'input_term')),
    want,
    strict: fieldOf(fields, 'strict_error') === true || fieldOf(fields, 'error') !== undefined,
    sorted: fieldOf(fields, 'sort_bindings') === true,
    version: record.folders.findLast((name) => name === 'v0' || name === 'v1') ?? null,
  };
}

/** A document of a case. In OPA's format documents are JSON, so a YAML key `1` is the text `1`. */
function documentOf({ fields, givesValues }: CaseRecord, name: string): Value | undefined {
  const document = fieldOf(fields, name);
  return document === undefined || givesValues ? document : parseJson(canonicalJson(document));
}

function wantOf({ fields, givesValues }: CaseRecord): Want | null {
  const code = textOf(fieldOf(fields, 'want_error_code'));
  const text = textOf(fieldOf(fields, 'want_error'));
  if (code !== null || text !== null) return { kind: 'error', code: code ?? codeIn(text), text };
  if (fieldOf(fields, 'error') !== undefined) return { kind: 'error', code: null, text: null };
  if (fieldOf(fields, 'no_result') === true) return { kind: 'defined', defined: false };
  const result = fieldOf(fields, 'want_result');
  if (result !== undefined) {
    return !givesValues && isListOfObjects(result)
      ? { kind: 'bindings', rows: result }
      : { kind: 'value', value: result };
  }
  const defined = fieldOf(fields, 'want_defined');
  return typeof defined === 'boolean' ? { kind: 'defined', defined } : null;
}

/** The code with which OPA starts the text of an error: `eval_conflict_error: …`. */
function codeIn(text: string | null): string | null {
  return /\b((?:rego|eval)_[a-z_]+_error)\b/.exec(text ?? '')?.[1] ?? null;
}

/** A text as it is, a number as it was written: `note: 12` is a note, too. */
function textOf(value: Value | undefined): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || value instanceof Decimal ? canonicalJson(value) : null;
}

function isTextList(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
