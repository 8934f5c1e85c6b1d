import { BUILTINS } from './builtins/index.ts';
import { compileProgram, compileQuery, type Program } from './compile/compile.ts';
import { RegoError } from './errors.ts';
import { Budget, type Limits } from './limits.ts';
import { Context } from './run/context.ts';
import { ruleValue } from './run/documents.ts';
import type { Trace } from './run/trace.ts';
import type { Dialect, Module } from './syntax/ast.ts';
import { parseModule } from './syntax/parser.ts';
import { fromPlain, type JsonLike, type Plain, toPlain } from './values/plain.ts';
import { RegoObject, type Value } from './values/value.ts';

export { type BuiltinRow, builtinTable } from './builtins/index.ts';
export { REFUSED } from './builtins/refused.ts';
export { RegoError, type RegoErrorKind } from './errors.ts';
export type { Limits } from './limits.ts';
export { type ClauseTrace, Trace } from './run/trace.ts';
export type { Module } from './syntax/ast.ts';
export { parseJson } from './values/plain.ts';
export { canonicalJson } from './values/text.ts';
export type { Value } from './values/value.ts';

/** Modules that were checked and planned. They can be evaluated any number of times. */
export type Compiled = Program;

/** One source of a policy. Messages name it by its path. */
interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Parses modules. Separate from {@link compileModules}, so that callers can look at what the modules declare.
 * @throws RegoError `parse` with path, line and column, `budget` for sources beyond the limits
 */
export function parseModules(
  files: readonly SourceFile[],
  { dialect = 'v1' }: { readonly dialect?: Dialect } = {},
): Module[] {
  return withoutStackOverflow(() => files.map(({ path, text }) => parseModule(path, text, dialect)));
}

/**
 * Checks modules that belong together and prepares them for evaluation.
 * @param data documents below `data`, as JSON-like values
 * @param watched whether evaluations can fill a {@link Trace}; they are slower then
 * @throws RegoError `compile` with path, line and column, `budget` for nesting beyond the limits
 */
export function compileModules(
  modules: readonly Module[],
  data: Readonly<Record<string, Plain>> = {},
  { watched = false }: { readonly watched?: boolean } = {},
): Compiled {
  return withoutStackOverflow(() => compileProgram(modules, documents(data), BUILTINS, watched));
}

/** The parameters of one evaluation. */
interface EvaluationOptions {
  /** One term without free variables, such as `data.policy.allow`. */
  readonly query: string;
  /** JSON-like data or a {@link Value}. Without it `input` is undefined. */
  readonly input?: Plain;
  /** Replaces top-level names of the data of {@link compileModules}. Names that rules define are refused. */
  readonly data?: Readonly<Record<string, Plain>>;
  /** The instant of `time.now_ns`, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly limits?: Partial<Limits>;
  /** Errors of built-in functions end the evaluation instead of making their expression undefined. */
  readonly strict?: boolean;
  /** Receives what happens to the rules of a program that was compiled as watched. */
  readonly trace?: Trace;
}

/** The result: `value` is JSON-like, `exact` is the {@link Value} for {@link canonicalJson}. */
export type Evaluation =
  | { readonly defined: true; readonly value: JsonLike; readonly exact: Value }
  | { readonly defined: false; readonly value: undefined; readonly exact: undefined };

/**
 * Evaluates a query. The same program, input, data and instant give the same result.
 * @throws RegoError `eval` for conflicting values, `budget` beyond a limit, `parse` or `compile` for the query
 */
export function evaluate(compiled: Compiled, options: EvaluationOptions): Evaluation {
  return withoutStackOverflow(() => {
    const node = compileQuery(options.query, compiled.world);
    const base = mergeData(compiled, options.data ?? {});
    const run = {
      budget: new Budget(options.limits),
      now: options.now,
      strict: options.strict ?? false,
      root: compiled.world.root,
      base,
      memo: new Map<string, unknown>(),
      trace: options.trace ?? null,
    };
    const input = options.input === undefined ? undefined : fromPlain(options.input);
    const exact = ruleValue(new Context(run, input), node);
    if (exact === undefined) return { defined: false, value: undefined, exact: undefined };
    return { defined: true, value: toPlain(exact), exact };
  });
}

function documents(data: Readonly<Record<string, Plain>>): RegoObject {
  const base = fromPlain(data);
  return base instanceof RegoObject ? base : new RegoObject();
}

function mergeData({ world, base }: Compiled, data: Readonly<Record<string, Plain>>): RegoObject {
  const added = documents(data);
  if (added.size === 0) return base;
  const whole = RegoObject.of(base.unordered());
  for (const [name, value] of added.unordered()) {
    if (world.root.child(name) !== undefined)
      throw new RegoError('compile', `data.${String(name)} is defined by rules`);
    whole.set(name, value);
  }
  return whole;
}

/** Turns a stack overflow into a `budget` error. The limits prevent it for all but the largest policies. */
function withoutStackOverflow<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      throw new RegoError('budget', 'nesting too deep to be evaluated');
    }
    throw error;
  }
}
