import {
  canonicalJson,
  compileModules,
  evaluate,
  type Limits,
  parseModules,
  RegoError,
  type RegoErrorKind,
} from '#shared/rego/index.ts';

const NOW = 1_700_000_000_000_000_000n;

/** Compiles one module of package `test`. */
export function compile(rules: string, data: Readonly<Record<string, unknown>> = {}) {
  const files = [{ path: 'test.rego', text: `package test\n\nimport rego.v1\n\n${rules}` }];
  return compileModules(parseModules(files), data);
}

/** The JSON text of `data.test.<name>`; `undefined` where it has no value. */
export function value(rules: string, { name = 'p', input, limits }: Options = {}): string {
  const result = evaluate(compile(rules), { query: `data.test.${name}`, input, now: NOW, limits });
  return result.defined ? canonicalJson(result.exact) : 'undefined';
}

interface Options {
  readonly name?: string;
  readonly input?: unknown;
  readonly limits?: Partial<Limits>;
}

/** What kind of error a run ends in, with its message. */
export function failure(run: () => unknown): { readonly kind: RegoErrorKind; readonly message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof RegoError) return { kind: error.kind, message: error.message };
    throw error;
  }
  throw new Error('no error');
}
