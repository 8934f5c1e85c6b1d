import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Each worker and each domain has a README with four parts. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Functions without endpoints. `unknown-route` answers requests that no endpoint fits, and has no messages. */
const workers = readdirSync(join(ROOT, 'functions'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'unknown-route')
  .map(({ name }) => `functions/${name}`)
  .filter((folder) => existsSync(join(ROOT, folder, 'index.ts')) && !existsSync(join(ROOT, folder, 'endpoints.ts')));

const DOMAINS = [
  'shared/components',
  'shared/controls',
  'shared/environments',
  'shared/evaluations',
  'shared/expectations',
  'shared/evidence',
  'shared/exports',
  'shared/log',
  'shared/notifications',
  'shared/organizations',
  'shared/policies',
  'shared/restore',
  'shared/signers',
  'shared/watches',
];
const FOLDERS = [...workers, ...DOMAINS];
const HEADINGS = [
  'What it is for',
  expect.stringMatching(/^The way of one (?:request|message|batch|command)\b/),
  'What it uses',
  'What surprises',
];
const textOf = (folder: string): string => readFileSync(join(ROOT, folder, 'README.md'), 'utf8');

describe('the README of a folder', () => {
  it('exists for every worker and every domain', () => {
    expect(workers).toContain('functions/relay');
    expect(FOLDERS.filter((folder) => !existsSync(join(ROOT, folder, 'README.md')))).toEqual([]);
  });

  it.each(FOLDERS)('says in %s what it is for, the way of one message, what it uses and what surprises', (folder) => {
    expect([...textOf(folder).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
  });

  it.each(FOLDERS)('has text below each heading in %s', (folder) => {
    const parts = textOf(folder)
      .split(/^## .+$/m)
      .slice(1);
    expect(parts.filter((part) => part.trim().length < 80)).toEqual([]);
  });

  it.each(FOLDERS)('names in %s only files that exist', (folder) => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const isThere = (name: string) =>
      existsSync(join(ROOT, name)) || files.some((file) => file === name || file.endsWith(`/${name}`));
    const named = [...textOf(folder).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});
