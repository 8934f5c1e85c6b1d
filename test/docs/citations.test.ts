import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasHeading } from '#test/infra/sources/headings.ts';

/**
 * Every rule that code or documents refer to has a heading in docs/rules. Code cites it as `rules/` + page + `.md#` + anchor.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['.ci', '.github', 'console', 'docs', 'functions', 'infra', 'shared', 'test'];
const TEXTS = /\.(?:ts|md|json|yml|yaml|sh|rego|html)$|^\.ci\//;

const files = [
  ...readdirSync(ROOT).filter((name) => TEXTS.test(name) && name !== 'package-lock.json'),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ).filter((name) => TEXTS.test(name) && statSync(join(ROOT, name)).isFile()),
];
const OWN_NAME = 'test/docs/citations.test.ts';
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Places in a text, as `file:line`, with what stands there. */
const places = (file: string, pattern: RegExp): { where: string; match: RegExpExecArray }[] =>
  textOf(file)
    .split('\n')
    .flatMap((line, i) => [...line.matchAll(pattern)].map((match) => ({ where: `${file}:${i + 1}`, match })));

describe('citations', () => {
  test('citations of rules lead to a heading of docs/rules', () => {
    const cited = files
      .filter((file) => file !== OWN_NAME)
      .flatMap((file) => places(file, /(?<![\w/])(?:docs\/)?rules\/([a-z-]+)\.md(?:#([\w-]+))?/g));
    expect(cited.length).toBeGreaterThan(300);
    const broken = cited.filter(({ match: [, page = '', anchor] }) => {
      const path = `docs/rules/${page}.md`;
      return !existsSync(join(ROOT, path)) || (anchor !== undefined && !hasHeading(path, anchor));
    });
    expect(broken.map(({ where, match }) => `${where} ${match[0]}`)).toEqual([]);
  });

  test('citations of documents that are not in the repository do not exist', () => {
    const OUTSIDE = [
      // A section sign is only used for published standards.
      /(?<!RFC \d{3,5},? )§/g,
      /\b(?:design|semantics|house style|wire [a-z]+|stack)(?:\.md)? (?:§ ?)?[0-9]+(?:\.[0-9]+)*\b/gi,
      /(?<![-\w])(?:semantics|design|house-style|stack|layout|plain-words|api-v2|console)\.md\b/g,
      /\bwire (?:flows|environments|admin)\b/gi,
      /\bissue of the\b|\bsee issue\b|\bissue #?[0-9]+\b/gi,
    ];
    const found = files
      .filter((file) => file !== OWN_NAME)
      .flatMap((file) => OUTSIDE.flatMap((pattern) => places(file, pattern)));
    expect(found.map(({ where, match }) => `${where} ${match[0]}`)).toEqual([]);
  });
});

test('links between documents lead to files and headings that exist', () => {
  const documents = files.filter((file) => file.endsWith('.md'));
  expect(documents.length).toBeGreaterThan(30);
  const broken = documents.flatMap((file) =>
    places(file, /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
      .filter(({ match: [, link = '', anchor] }) => {
        const target = link === '' ? file : normalize(join(dirname(file), link));
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && target.endsWith('.md') && !hasHeading(target, anchor);
      })
      .map(({ where, match }) => `${where} ${match[0]}`),
  );
  expect(broken).toEqual([]);
});
