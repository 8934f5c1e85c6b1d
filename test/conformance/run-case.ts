import {
  type Compiled,
  canonicalJson,
  compileModules,
  evaluate,
  parseJson,
  parseModules,
  RegoError,
  type Value,
} from '#shared/rego/index.ts';
import { compare, equal, RegoObject, RegoSet } from '#shared/rego/values/value.ts';
import type { BrokenCase, Case, Want } from './cases.ts';
import { fits, unsupportedFeature } from './errors.ts';
import { prepareQuery, rowsTerm } from './queries.ts';

/** How one case ended. */
export type Outcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly wanted: string; readonly got: string }
  | { readonly status: 'unsupported'; readonly feature: string };

/** What the engine answered. */
type Answer =
  | { readonly kind: 'value'; readonly value: Value | undefined }
  | { readonly kind: 'rows'; readonly rows: readonly Value[] }
  | { readonly kind: 'refused'; readonly error: RegoError };

/** The instant of `time.now_ns` in every case. */
const NOW = 1_750_000_000_000_000_000n;

/** Runs one case. Never throws, so that one case cannot end a run. */
export function runCase(one: Case | BrokenCase): Outcome {
  if ('problem' in one) return { status: 'failed', wanted: 'a case that can be run', got: one.problem };
  const wanted = describeWant(one.want);
  try {
    const answer = ask(one, one.strict);
    if (isWanted(one, answer)) return { status: 'passed' };
    const feature = featureOf(one, answer);
    if (feature !== null) return { status: 'unsupported', feature };
    return { status: 'failed', wanted, got: describeAnswer(answer) };
  } catch (error) {
    return { status: 'failed', wanted, got: `the engine crashed: ${String(error)}` };
  }
}

function ask(one: Case, strict: boolean): Answer {
  try {
    const compiled = compile(one);
    const input = one.inputTerm === null ? one.input : valueOfTerm(one.inputTerm);
    const options = { input, now: NOW, strict };
    const { form, term, variables } = prepareQuery(one.query);
    if (form === 'value' && !isAboutEmptyBindings(one.want)) {
      return { kind: 'value', value: evaluate(compiled, { query: term, ...options }).exact };
    }
    const query = form === 'rows' ? term : rowsTerm(one.query, variables);
    const rows = evaluate(compiled, { query, ...options }).exact;
    return { kind: 'rows', rows: Array.isArray(rows) ? rows : [] };
  } catch (error) {
    if (error instanceof RegoError) return { kind: 'refused', error };
    throw error;
  }
}

/** A query without variables can only have empty bindings. A list of other objects is then the value of the query. */
function isAboutEmptyBindings(want: Want): boolean {
  return want.kind === 'bindings' && want.rows.every((row) => row.size === 0);
}

/**
 * Compiles the modules of a case in the language version that its folder states. Without such a folder, modules that
 * are refused as v1 are read as v0, unless they import `rego.v1` or the refusal is the one that the case wants.
 */
function compile({ modules, data, want, version }: Case): Compiled {
  const files = modules.map((text, index) => ({ path: `module-${index}.rego`, text }));
  const documents = Object.fromEntries(data.pairs().map(([key, value]): [string, Value] => [String(key), value]));
  const compileAs = (dialect: 'v0' | 'v1') => compileModules(parseModules(files, { dialect }), documents);
  if (version !== null) return compileAs(version);
  try {
    return compileAs('v1');
  } catch (error) {
    if (!(error instanceof RegoError) || modules.some((text) => text.includes('rego.v1'))) throw error;
    if (want.kind === 'error' && want.code !== null && fits(want.code, error)) throw error;
    return compileAs('v0');
  }
}

function valueOfTerm(term: string): Value | undefined {
  const module = { path: 'input_term.rego', text: `package input_term\n\nvalue := ${term}` };
  return evaluate(compileModules(parseModules([module])), { query: 'data.input_term.value', now: NOW }).exact;
}

function isWanted({ want, sorted }: Case, answer: Answer): boolean {
  if (answer.kind === 'refused') return want.kind === 'error' && isRefusalWanted(want, answer.error);
  switch (want.kind) {
    case 'error':
      return false;
    case 'defined':
      return want.defined === (answer.kind === 'rows' ? answer.rows.length > 0 : answer.value !== undefined);
    case 'value': {
      // A query with variables has its bindings as its value: one result, one object.
      const value = answer.kind === 'value' ? answer.value : answer.rows.length === 1 ? answer.rows[0] : undefined;
      return value !== undefined && equal(comparable(value, sorted), comparable(want.value, sorted));
    }
    case 'bindings':
      if (answer.kind === 'rows') return equal(comparableRows(answer.rows, sorted), comparableRows(want.rows, sorted));
      return answer.value !== undefined && equal(comparable(answer.value, sorted), comparable(want.rows, sorted));
  }
}

/**
 * A case may want that an unknown function is refused. Refusing a function that OPA has, for another reason than the
 * case is about, says nothing about the case.
 */
function isRefusalWanted(want: Extract<Want, { kind: 'error' }>, error: RegoError): boolean {
  if (!fits(want.code, error)) return false;
  const aboutError = want.code === null && want.text === null;
  return unsupportedFeature(error) === null || aboutError || (want.text ?? '').includes('undefined function');
}

/**
 * The unsupported feature that keeps the engine from answering. A built-in function that refuses its operands for that
 * reason leaves its expression undefined, so the case is asked again with errors of built-in functions shown.
 */
function featureOf(one: Case, answer: Answer): string | null {
  const shown = answer.kind === 'refused' || one.strict ? answer : ask(one, true);
  return shown.kind === 'refused' ? unsupportedFeature(shown.error) : null;
}

function comparable(value: Value, sorted: boolean): Value {
  return sorted && Array.isArray(value) ? value.toSorted(compare) : value;
}

/** Bindings as OPA's suite compares them: results in any order, values as JSON, so a set equals its sorted array. */
function comparableRows(rows: readonly Value[], sorted: boolean): Value {
  return RegoSet.of(
    rows.map((row) => {
      const plain = parseJson(canonicalJson(row));
      if (!(plain instanceof RegoObject)) return plain;
      return RegoObject.of(plain.pairs().map(([name, value]) => [name, comparable(value, sorted)] as const));
    }),
  );
}

function describeWant(want: Want): string {
  switch (want.kind) {
    case 'bindings':
      return want.rows.length === 0 ? 'no result' : `results ${canonicalJson(want.rows)}`;
    case 'value':
      return `the value ${canonicalJson(want.value)}`;
    case 'defined':
      return want.defined ? 'a result' : 'no result';
    case 'error':
      return `an error${want.code === null ? '' : ` ${want.code}`}${want.text === null ? '' : ` (${want.text})`}`;
  }
}

function describeAnswer(answer: Answer): string {
  if (answer.kind === 'refused') return `an error of kind ${answer.error.kind}: ${answer.error.message}`;
  if (answer.kind === 'rows') return answer.rows.length === 0 ? 'no result' : `results ${canonicalJson(answer.rows)}`;
  return answer.value === undefined ? 'no result' : `the value ${canonicalJson(answer.value)}`;
}
