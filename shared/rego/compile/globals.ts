import { type Location, RegoError } from '../errors.ts';
import type { Module } from '../syntax/ast.ts';
import type { Globals } from './scope.ts';

/**
 * Returns the names that a module knows besides its variables: its imports and the rules of its package, including
 * rules in other modules. An import hides a rule.
 * @throws RegoError `compile` for imports that hide each other and for unknown imports
 */
export function globalsOf(module: Module, modules: readonly Module[]): Globals {
  const globals = new Map<string, readonly string[]>();
  const home = JSON.stringify(module.package);
  for (const other of modules) {
    if (JSON.stringify(other.package) !== home) continue;
    for (const { name } of other.rules) globals.set(name[0], ['data', ...module.package, name[0]]);
  }
  const imported = new Set<string>();
  for (const { path, alias, at } of module.imports) {
    const [root] = path;
    if (root === 'rego' || root === 'future') {
      checkLanguageImport(path, alias, at);
      const language = path.join('.');
      if ((root === 'rego' || module.dialect === 'v1') && imported.has(language)) {
        throw new RegoError('compile', `import must not shadow import ${language}`, at);
      }
      imported.add(language);
      continue;
    }
    const name = alias ?? path.at(-1) ?? '';
    if (imported.has(name) && module.dialect === 'v1')
      throw new RegoError('compile', `import must not shadow import ${path.join('.')}`, at);
    if (path.length === 1 && alias === null) continue;
    imported.add(name);
    globals.set(name, path);
  }
  return globals;
}

const FUTURE_KEYWORDS = new Set(['and', 'contains', 'every', 'if', 'in', 'not', 'or']);

/** Checks an import of keywords or of a version of the language. */
function checkLanguageImport([root, ...rest]: readonly string[], alias: string | null, at: Location): void {
  const [first = '', second] = rest;
  const known =
    root === 'rego'
      ? rest.length === 1 && (first === 'v1' || first === 'v2')
      : first === 'keywords' && rest.length <= 2 && (second === undefined || FUTURE_KEYWORDS.has(second));
  if (!known) throw new RegoError('compile', `unknown import ${[root, ...rest].join('.')}`, at);
  if (alias !== null) throw new RegoError('compile', `an import of ${root} cannot have an alias`, at);
}
