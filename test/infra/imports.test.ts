import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Which way imports go (design §1, docs/architecture.md): read from the sources themselves. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['shared', 'functions', 'infra'];

interface Imported {
  /** A file of ours relative to the project, or the name of a package. */
  target: string;
  typeOnly: boolean;
}

const STATEMENT =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|new URL\(\s*'(\.[^']+\.ts)'/gm;

/** What a source imports, whatever the form: statements, exports from elsewhere, calls, addresses of child programs. */
function importsOf(file: string): Imported[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(STATEMENT)].map(([, type, statement, call, address]) => ({
    target: targetOf(file, statement ?? call ?? address ?? ''),
    typeOnly: type !== undefined,
  }));
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(file), specifier));
  return specifier;
}

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
const graph = new Map(sources.map((file) => [file, importsOf(file)]));

/** Folders of rules on plain data. */
const RULES = ['evidence', 'runtime', 'policies', 'rego', 'engines', 'tags'].map((name) => `shared/${name}`);
/** What knows the SDK outside of the store: clients are made, items of streams read, mails and messages sent. */
const ADAPTERS = [
  'functions/notifier/services.ts',
  'functions/relay/read-batch.ts',
  'functions/relay/read-environments.ts',
  'functions/relay/services.ts',
  'functions/services.ts',
  'shared/outgoing/mail.ts',
  'shared/base/queue.ts',
];
/** Programs that run what callers wrote. */
const CHILDREN = ['shared/engines/child.ts', 'shared/evaluations/policy-child.ts'];

const isCloud = (target: string): boolean => target.startsWith('@aws-sdk/') || target.startsWith('@smithy/');

const isIn = (path: string, ...folders: string[]): boolean => folders.some((folder) => path.startsWith(`${folder}/`));

/** Imports from one place to another, as texts that say where to look. */
function imports(from: (file: string) => boolean, to: (imported: Imported, file: string) => boolean): string[] {
  return [...graph].flatMap(([file, imported]) =>
    from(file) ? imported.filter((one) => to(one, file)).map(({ target }) => `${file} → ${target}`) : [],
  );
}

describe('imports', () => {
  test('are read from every source, and lead to files that are there', () => {
    expect(sources.length).toBeGreaterThan(400);
    expect(graph.get('shared/http/lambda.ts')?.map(({ target }) => target)).toEqual(
      expect.arrayContaining(['@middy/core', 'shared/http/services.ts', 'shared/http/answers.ts']),
    );
    const missing = imports(
      () => true,
      ({ target }) => isIn(target, ...FOLDERS, 'test') && target.endsWith('.ts') && !graph.has(target),
    );
    expect(missing).toEqual([]);
  });

  test('go from infra to functions to shared, and never back', () => {
    const back = imports(
      (file) => isIn(file, 'shared'),
      ({ target }) => isIn(target, 'functions', 'infra', 'test'),
    );
    const up = imports(
      (file) => isIn(file, 'functions'),
      ({ target }) => isIn(target, 'infra', 'test'),
    );
    const tests = imports(
      (file) => isIn(file, 'infra'),
      ({ target }) => isIn(target, 'test'),
    );
    expect([...back, ...up, ...tests]).toEqual([]);
  });

  test.each(RULES)('keep the rules of %s apart from the store and the cloud, types included', (folder) => {
    expect(
      imports(
        (file) => isIn(file, folder),
        ({ target }) => isIn(target, 'shared/store') || isCloud(target),
      ),
    ).toEqual([]);
  });

  test('leave the policy language on its own: it knows nothing of the service', () => {
    const known = imports(
      (file) => isIn(file, 'shared/rego'),
      ({ target }) => !isIn(target, 'shared/rego'),
    );
    expect(new Set(known.map((one) => one.split(' → ')[1]))).toEqual(new Set(['node:crypto', 'node:net', 're2js']));
  });

  test('of the cloud are in the store, the adapters and the wiring only', () => {
    const users = imports(
      (file) => !isIn(file, 'shared/store', 'infra'),
      ({ target }) => isCloud(target),
    );
    expect([...new Set(users.map((one) => one.split(' → ')[0]))].sort()).toEqual(ADAPTERS);
  });

  test.each(CHILDREN)('give the child process %s no way to the store or the cloud', (entry) => {
    const reached = reachedFrom(entry);
    expect(reached.size).toBeGreaterThan(5);
    expect([...reached].filter((target) => isIn(target, 'shared/store') || isCloud(target))).toEqual([]);
  });

  test('make no circle', () => {
    expect(circles()).toEqual([]);
  });
});

/** Everything that a program loads, its own files and packages. */
function reachedFrom(entry: string, reached = new Set<string>()): Set<string> {
  for (const { target, typeOnly } of graph.get(entry) ?? []) {
    if (typeOnly || reached.has(target)) continue;
    reached.add(target);
    reachedFrom(target, reached);
  }
  return reached;
}

/** Circles of imports that are there when the program runs; types alone make none. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const { target, typeOnly } of graph.get(file) ?? []) if (!typeOnly) visit(target, [...path, file]);
      done.add(file);
    }
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
