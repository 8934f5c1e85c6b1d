import { filesBelow, isSource, TOP_FOLDERS, targetOf, textOf } from './source-files.ts';

/** The imports of all sources, read from their texts. */

export interface Imported {
  /** A file of this repository relative to its root, or the name of a package. */
  target: string;
  typeOnly: boolean;
}

const STATEMENT =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|new URL\(\s*'(\.[^']+\.ts)'/gm;

/** Reads the imports of a source: statements, re-exports, dynamic imports and the addresses of child programs. */
export function importsOf(file: string): Imported[] {
  return [...textOf(file).matchAll(STATEMENT)].map(([, type, statement, call, address]) => ({
    target: targetOf(file, statement ?? call ?? address ?? ''),
    typeOnly: type !== undefined,
  }));
}

export const sources = TOP_FOLDERS.flatMap(filesBelow).filter(isSource);
export const graph = new Map(sources.map((file) => [file, importsOf(file)]));

/** The imports that a predicate selects, as `file → target`. */
export const imports = (select: (file: string, target: string) => boolean): string[] =>
  [...graph].flatMap(([file, imported]) =>
    imported.filter(({ target }) => select(file, target)).map(({ target }) => `${file} → ${target}`),
  );

/** Everything that a program loads: files of this repository and packages. */
export function reachedFrom(entry: string, reached = new Set<string>()): Set<string> {
  for (const { target, typeOnly } of graph.get(entry) ?? []) {
    if (typeOnly || reached.has(target)) continue;
    reached.add(target);
    reachedFrom(target, reached);
  }
  return reached;
}

/**
 * The imports of values by which programs load what they must not load, as `file → target`.
 *
 * @param entries the files with which the programs begin
 */
export function reachedImports(entries: readonly string[], isClosed: (target: string) => boolean): string[] {
  const loaded = new Set(entries.flatMap((entry) => [entry, ...reachedFrom(entry)]));
  return [...loaded].flatMap((file) =>
    (graph.get(file) ?? [])
      .filter(({ target, typeOnly }) => !typeOnly && isClosed(target))
      .map(({ target }) => `${file} → ${target}`),
  );
}

/** Circles of imports. An import of a type counts: who reads one file of a circle has to read all of them. */
export function circles(all: ReadonlyMap<string, readonly Imported[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const { target } of all.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    }
  };
  for (const file of all.keys()) visit(file, []);
  return found;
}
