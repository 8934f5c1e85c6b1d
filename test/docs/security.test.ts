import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Each promise of SECURITY.md names tests that exist. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

/** Sections that promise nothing: how to report, what is valuable, what is not protected. */
const WITHOUT_PROMISES = ['Reporting a problem', 'What is protected', 'What is not protected'];

const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n')[0] ?? '', text }))
  .filter(({ title }) => !WITHOUT_PROMISES.includes(title));

/** The rows of the table of attackers, without its head, and the points of the lists. */
const promises = sections.flatMap(({ title, text }) => {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  const points = text.split(/\n(?=- )/).slice(1);
  return [...rows.slice(1), ...points.map((point) => point.split('\n\n')[0] ?? '')].map((promise) => ({
    title,
    promise,
  }));
});

/** The tests that a promise names. A name without a folder lies beside the test that stands before it. */
function testsOf(promise: string): string[] {
  let folder = '';
  return [...promise.matchAll(/`((?:test\/)?[\w./-]+)`/g)].flatMap(([, name = '']) => {
    if (!name.startsWith('test/')) return name.endsWith('.test.ts') ? [join(folder, name)] : [];
    folder = name.endsWith('.ts') ? dirname(name) : name;
    return [name];
  });
}

describe('SECURITY.md', () => {
  test('has promises in each of its other sections', () => {
    expect(promises.length).toBeGreaterThan(50);
  });

  test('names a test beside each promise', () => {
    const without = promises.filter(({ promise }) => testsOf(promise).length === 0);
    expect(without.map(({ title, promise }) => `${title}: ${promise}`)).toEqual([]);
  });

  test('names tests that exist', () => {
    const missing = promises.flatMap(({ promise }) => testsOf(promise)).filter((name) => !existsSync(join(ROOT, name)));
    expect(missing).toEqual([]);
  });
});
