import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { glossaryDocument } from '#infra/documents/glossary-document.ts';
import { GLOSSARY } from '#shared/console/glossary.ts';

test('docs/glossary.md is up to date; if not, run `node infra/documents/write-glossary-document.ts`', () => {
  expect(readFileSync('docs/glossary.md', 'utf8')).toBe(glossaryDocument());
});

test('the headings of docs/glossary.md are sorted, and each is there once', () => {
  const headings = [...readFileSync('docs/glossary.md', 'utf8').matchAll(/^## (.+)$/gm)].map(([, word = '']) =>
    word.toLowerCase(),
  );
  expect(headings.length).toBeGreaterThan(50);
  expect(headings).toEqual([...new Set(headings)].toSorted());
});

// The console shows the meaning as it stands, so it has no marks of Markdown.
// `test/docs/citations.test.ts` follows the links of the document and the rules that the source names.
test('each word of the glossary has a meaning of two sentences, and the heading of a rule', () => {
  const wrong = Object.entries(GLOSSARY).filter(
    ([, [meaning, rule]]) =>
      !/^[^.?`*[<]+[.?] [^.?`*[<]+\.$/.test(meaning) || !/^rules\/[a-z-]+\.md#[\w-]+$/.test(rule),
  );
  expect(wrong).toEqual([]);
});
