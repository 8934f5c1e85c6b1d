import { RegoError } from '../errors.ts';
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
    const [root, ...rest] = path;
    if (root === 'rego' || root === 'future') {
      const known = root === 'rego' ? path.join('.') === 'rego.v1' : rest[0] === 'keywords';
      if (!known) throw new RegoError('compile', `unknown import ${path.join('.')}`, at);
      if (root === 'rego' && imported.has('rego.v1')) {
        throw new RegoError('compile', 'import must not shadow import rego.v1', at);
      }
      if (root === 'rego') imported.add('rego.v1');
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
