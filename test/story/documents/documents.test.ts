import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, DOCUMENTS, isShown, ROOT } from './document-blocks.ts';

/** What fences may say: `sh` is run here, `console` is not, and `text` is what the commands before it print. */
const LANGUAGES = ['sh', 'console', 'text', 'json', 'js', 'ts', 'yaml', 'mermaid'];

/** Documents with commands that are not run here, and why. */
const NOT_RUN: Record<string, string> = {
  'CONTRIBUTING.md': 'set-up and watching, which main.story.test.ts and a person do',
  'README.md': 'starting (main.story.test.ts does it), the whole test suite, and what needs an account',
  'SECURITY.md': 'the audit of dependencies asks a registry, which not every machine may',
  'docs/benchmarks.md': 'measurements, which take minutes',
  'docs/comparison.md': 'programs of others, which not every machine has',
  'docs/connect.md':
    'connect.story.test.ts runs its texts as the console shows them, and other pipelines need a CI system',
  'docs/deploying.md': 'needs an account',
  'docs/local-stack.md': 'starting: main.story.test.ts does it',
  'docs/proof.md': 'exports of other organizations, and programs of others, which not every machine has',
  'docs/signatures.md': 'clients of GitHub and cosign, and what they ask in the network',
  'docs/clients.md': 'generators that not every machine has',
  'docs/statements.md': 'verifiers that not every machine has',
  'docs/releasing.md': 'prepares a release, which changes the checkout',
  'docs/runbook.md': 'commands of an operator, which need an account',
  'docs/testing.md': 'runs of a tester that not every machine has',
};
const PATHS = ['shared', 'functions', 'console', 'infra', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
);
const FILES = new Set(PATHS.map((path) => basename(path)));

describe('documents', () => {
  it.each(DOCUMENTS)('%s says of each block what it is', (document) => {
    const blocks = blocksOf(document);
    const unknown = blocks.filter(({ language }) => !LANGUAGES.includes(language));
    expect(unknown.map(({ line, language }) => `${document}:${line}: ${language || 'no language'}`)).toEqual([]);
    expect(blocks.some(({ language }) => language === 'console')).toBe(document in NOT_RUN);
  });

  it('docs/proof.md has no loop that can run for ever, because an auditor may follow it against a service that is away', () => {
    const endless = blocksOf('docs/proof.md').filter(({ text }) => /\b(?:until|while)\b/.test(text));
    expect(endless.map(({ line }) => line)).toEqual([]);
  });

  it.each(DOCUMENTS)('%s links to what is there', (document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => !existsSync(normalize(join(ROOT, dirname(document), target))));
    expect(broken).toEqual([]);
  });

  it.each(DOCUMENTS)('%s names files that are there', (document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const named = [...text.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, file = '']) => file);
    const missing = named.filter((file) =>
      file.includes('/') ? !PATHS.some((path) => path.endsWith(`/${file}`)) : !FILES.has(file),
    );
    expect(missing).toEqual([]);
  });
});

describe('what a document shows', () => {
  it('is the whole output, but for what is different each time', () => {
    expect(isShown('"a":1\n…\n"b"', '\n"a":1\nanything at all\n"b"\n')).toBe(true);
    expect(isShown('"a":1', '"a":1\n"b":2')).toBe(false);
    expect(isShown('a…c', 'a\nc')).toBe(false);
    expect(isShown('a.c', 'abc')).toBe(false);
  });
});
