import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinsDocument } from '#infra/documents/builtins-document.ts';
import { builtinTable, REFUSED } from '#shared/rego/index.ts';

test('docs/builtins.md is up to date; if not, run `node infra/write-builtins-document.ts`', () => {
  expect(readFileSync('docs/builtins.md', 'utf8')).toBe(builtinsDocument(builtinTable(), REFUSED));
});

test('the table of built-in functions names each function once and has none that reads network, files or randomness', () => {
  const names = builtinTable().map(({ name }) => name);
  expect(names.length).toBeGreaterThan(100);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /^(http|net\.lookup|opa|rand|uuid\.rfc|internal)/.test(name))).toEqual([]);
});
