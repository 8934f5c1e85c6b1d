import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './command.ts';

/** `npm run conformance:purl` on cases that are made here. */

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'purl-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
function folderOf(files: Readonly<Record<string, unknown>>): string {
  folders += 1;
  const folder = join(base, String(folders));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const FIELDS = { type: 'gem', namespace: null, name: 'rails', version: '7.0.4', qualifiers: null, subpath: null };
const RAILS = 'pkg:gem/rails@7.0.4';

const RIGHT = {
  'tests/spec/specification-test.json': {
    $schema: 'https://example.test/schema.json',
    tests: [
      {
        description: 'text',
        test_group: 'base',
        test_type: 'parse',
        input: 'pkg:GEM/rails@7.0.4',
        expected_output: RAILS,
      },
      { description: 'refused', test_type: 'parse', input: 'rails', expected_output: null, expected_failure: true },
    ],
  },
  'tests/types/gem-test.json': {
    tests: [
      { description: 'fields', test_type: 'parse', input: RAILS, expected_output: { ...FIELDS, qualifiers: {} } },
      { description: 'built', test_type: 'build', input: FIELDS, expected_output: RAILS, expected_failure: false },
      { description: 'again', test_type: 'roundtrip', input: RAILS, expected_output: RAILS },
      { description: 'no name', test_type: 'build', input: { ...FIELDS, name: null }, expected_failure: true },
      { description: 'no type', test_type: 'build', input: { ...FIELDS, type: null }, expected_failure: true },
      { description: 'valid', test_type: 'validation', test_group: 'base', input: RAILS, expected_output: [] },
      {
        description: 'invalid',
        test_type: 'validation',
        input: 'pkg:maven/io@1',
        expected_output: [{ severity: 'error', message: 'Namespace is required' }],
      },
    ],
  },
  'old/test-suite-data.json': [
    { description: 'old', purl: 'pkg:Gem/rails@7.0.4', canonical_purl: RAILS, ...FIELDS, is_invalid: false },
    { description: 'old refused', purl: 'rails', canonical_purl: 'rails', ...FIELDS, type: null, is_invalid: true },
  ],
  'types/gem-definition.json': { type: 'gem' },
};

describe('the command for package URLs', () => {
  test('counts the cases of both layouts that are right', () => {
    const { code, stdout, stderr } = runCommand([folderOf(RIGHT), '--refusals']);
    expect(stderr).toEqual([]);
    expect(stdout.slice(-4)).toEqual([
      'run            11',
      'right          11',
      'wrong           0',
      'must fail       5',
    ]);
    expect(stdout).toContain('refused: tests/types/gem-test.json: no name: A package URL needs a name after its type');
    expect(code).toBe(0);
  });

  test('prints the cases that are wrong, and exits with 1', () => {
    const wrong = (description: string, fields: object) => ({
      description,
      test_type: 'parse',
      input: RAILS,
      ...fields,
    });
    const tests = [
      wrong('text', { expected_output: 'pkg:gem/rails' }),
      wrong('fields', { expected_output: { ...FIELDS, version: '7' } }),
      wrong('read', { expected_failure: true }),
      wrong('refused', { input: 'rails', expected_output: RAILS }),
      wrong('refused and valid', { input: 'rails', test_type: 'validation', expected_output: [] }),
      wrong('built', { input: FIELDS, test_type: 'build', expected_output: 'pkg:gem/rails' }),
    ];
    const old = {
      ...FIELDS,
      description: 'other field',
      purl: RAILS,
      canonical_purl: RAILS,
      version: '7',
      is_invalid: false,
    };
    const { code, stdout } = runCommand([folderOf({ 'a-test.json': { tests }, 'test-suite-data.json': [old] })]);
    expect(stdout.slice(0, 4)).toEqual([
      'wrong: a-test.json: text',
      '  wanted: pkg:gem/rails',
      '  got:    pkg:gem/rails@7.0.4',
      '',
    ]);
    expect(
      stdout.filter((line) => line.startsWith('wrong: ')).map((line) => line.split(': ').slice(1).join(': ')),
    ).toEqual([...tests.map(({ description }) => `a-test.json: ${description}`), 'test-suite-data.json: other field']);
    expect(stdout.at(-2)).toBe('wrong           7');
    expect(code).toBe(1);
  });

  test.each<[string, () => string[], RegExp]>([
    ['no folder is given', () => [], /^Give the folder of the cases\. Usage: npm run conformance:purl/],
    ['two folders are given', () => ['a', 'b'], /^Give one folder, not 2\. Usage/],
    ['an option is unknown', () => ['a', '--fast'], /^Unknown option '--fast'/],
    ['the folder is not there', () => [join(base, 'nowhere')], /nowhere does not exist\.$/],
    [
      'the folder is a file',
      () => [join(folderOf({ a: 'b' }), 'a')],
      /is a file\. Give the folder that holds the cases\.$/,
    ],
    [
      'the folder is empty',
      () => [folderOf({})],
      /holds no case: no \*-test\.json and no test-suite-data\.json with cases\.$/,
    ],
    ['a file has no cases', () => [folderOf({ 'a-test.json': { tests: [] } })], /holds no case/],
    ['a file is not JSON', () => [folderOf({ 'a-test.json': '{' })], /^The file a-test\.json holds no cases: /],
    [
      'a file has another layout',
      () => [folderOf({ 'a-test.json': { cases: [] } })],
      /^The file a-test\.json holds no cases: /,
    ],
  ])('exits with 2 if %s', (_, args, sentence) => {
    const { code, stdout, stderr } = runCommand(args());
    expect(stderr.join('\n')).toMatch(sentence);
    expect(stdout).toEqual([]);
    expect(code).toBe(2);
  });
});
