import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** The statements of the API document, and the tests that hold them (rules/contract.md). */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'docs/rules';
const lines = readdirSync(join(ROOT, FOLDER))
  .filter((name) => /^contract(?:-[a-z]+)?\.md$/.test(name))
  .flatMap((name) => readFileSync(join(ROOT, FOLDER, name), 'utf8').split('\n'));

const cellsOf = (line: string): string[] => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());

interface Statement {
  number: string;
  text: string;
  tests: { file: string; name: string }[];
}

/** Reads `[title](file): \`name\``. A name with a backtick stands between two backticks and a space. */
function testOf(cell: string): { file: string; name: string } {
  const [, file, , name = ''] = /^\[[^\]]+\]\(([^)]+)\): (`` |`)(.+?)(?: ``|`)$/.exec(cell) ?? [];
  return file === undefined ? { file: cell, name } : { file: normalize(join(FOLDER, file)), name };
}

/** The rows of all tables, in the order of the pages. */
const statements = lines
  .filter((line) => /^\| (?:G|\d+)\.\d+ \|/.test(line))
  .map((line): Statement => {
    const [number = '', text = '', , tests = ''] = cellsOf(line);
    return { number, text, tests: tests === '' ? [] : tests.split('<br>').map(testOf) };
  });

/** How many statements each endpoint has, by the table at the top of the page. */
const counts = new Map(
  lines.flatMap((line): [string, number][] => {
    const [, endpoint = '', count] = /^\| \[(G|\d+)\]\([^)]*\) \|.*\| (\d+) \|$/.exec(line) ?? [];
    return count === undefined ? [] : [[endpoint, Number(count)]];
  }),
);

const texts = new Map<string, string | null>();
function textOf(file: string): string | null {
  const path = join(ROOT, file);
  const text = texts.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : null);
  texts.set(file, text);
  return text;
}

/** Counts the tests of a file with this title: the first argument of a call whose second one is a function or options. */
function testsNamed(file: string, name: string): number {
  const title = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/'/g, "\\\\?'");
  const call = new RegExp(`(?<!\\bdescribe)\\(\\s*(['"\`])${title}\\1,\\s*(?:async\\s*)?[({]`, 'g');
  return [...(textOf(file) ?? '').matchAll(call)].length;
}

describe('the statements of the API document', () => {
  test('are there for all endpoints, numbered from 1 without gaps and without repetitions', () => {
    expect([...counts.keys()]).toEqual(['G', ...Array.from({ length: 18 }, (_, i) => String(i + 1))]);
    const expected = [...counts].flatMap(([endpoint, count]) =>
      Array.from({ length: count }, (_, i) => `${endpoint}.${i + 1}`),
    );
    expect(expected.length).toBeGreaterThan(300);
    expect(statements.map(({ number }) => number).toSorted()).toEqual(expected.toSorted());
  });

  test('have a text and a test each', () => {
    expect(statements.filter(({ text, tests }) => text === '' || tests.length === 0)).toEqual([]);
  });

  test('name tests that exist, each once in its file', () => {
    const named = statements.flatMap(({ number, tests }) => tests.map((found) => ({ number, ...found })));
    const wrong = named.filter(({ file, name }) => !/\.test\.ts$/.test(file) || testsNamed(file, name) !== 1);
    expect(wrong.map(({ number, file, name }) => `${number}: ${file}: ${name}`)).toEqual([]);
  });
});
