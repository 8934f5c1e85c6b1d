import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** How the test files are written and arranged. docs/code-style.md#tests explains the rules. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_FILES = 25;

/** Words that begin a fragment, which needs the title around it to be understood. */
const PREPOSITIONS =
  'above|after|among|as|at|before|behind|below|beside|besides|between|by|despite|during|except|for|from|in|inside|into|of|off|on|outside|over|through|to|under|until|up|upon|via|while|with|within|without';
const STARTS_WITH_PREPOSITION = new RegExp(`^(?:${PREPOSITIONS})\\b`);

/** The first argument of `test`, `it` and `describe`, also after `.each(…)` or another call that returns one of them. */
const TITLE = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;
/** The first text of a row. It is the beginning of the title where the title begins with `%s`. */
const ROW = /\[\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;

/** Reads the titles of a source. Titles that begin with `%s` are replaced by those of their rows. */
function titlesOf(text: string): string[] {
  return [...text.matchAll(TITLE)].flatMap(({ index, 2: title = '' }) => {
    const table = text.slice(text.lastIndexOf('.each', index), index);
    return title.startsWith('%s') ? [...table.matchAll(ROW)].map(([, , row = '']) => row) : [title];
  });
}

const files = globSync('test/**/*.*', { cwd: ROOT });
const sources = new Map(
  files.filter((file) => file.endsWith('.ts')).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);

/** The test files that a file imports, types included. */
function importsOf(file: string): string[] {
  const specifiers = [...(sources.get(file) ?? '').matchAll(/\b(?:from|import\()\s*'((?:\.|#test\/)[^']+)'/g)];
  return specifiers
    .map(([, path = '']) => (path.startsWith('#') ? path.slice(1) : relative(ROOT, resolve(ROOT, dirname(file), path))))
    .filter((path) => sources.has(path));
}

/** Finds circles: for each file, the way on which its imports lead back to a file before it. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const target of importsOf(file)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return found;
}

describe('the files of the tests', () => {
  test('titles stand alone: none begins with a preposition', () => {
    const tests = [...sources].filter(([file]) => file.endsWith('.test.ts'));
    const titles = tests.flatMap(([file, text]) => titlesOf(text).map((title) => ({ file, title })));
    expect(titles.length).toBeGreaterThan(4_000);
    const fragments = titles.filter(({ title }) => STARTS_WITH_PREPOSITION.test(title));
    expect(fragments.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });

  test('titles are read from calls and from rows', () => {
    const source = `
      describe.skipIf(isSlow)('a list', () => {
        test.each([['one entry', 1], ['two entries', 2]])('%s has a page', (_, size) => {});
        it('is empty', { timeout: 5 }, () => {});
      });`;
    expect(titlesOf(source)).toEqual(['a list', 'one entry', 'two entries', 'is empty']);
  });

  test('folders hold at most 25 files at one level', () => {
    const folders = Map.groupBy(files, dirname);
    expect(folders.size).toBeGreaterThan(80);
    const large = [...folders].filter(([, inside]) => inside.length > MOST_FILES);
    expect(large.map(([folder, inside]) => `${folder}: ${inside.length} files`)).toEqual([]);
  });

  test('imports make no circle, types included', () => {
    expect(importsOf('test/support/table/units.ts')).toContain('test/support/table.ts');
    expect(circles()).toEqual([]);
  });
});
