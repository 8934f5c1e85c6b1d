import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './command.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));
const OWN_CASES = fileURLToPath(new URL('../shared/rego/cases', import.meta.url));

const GOOD = `cases:
  - note: fruit/apples
    query: data.fruit.apples = x
    modules: ["package fruit\\n\\napples := 3"]
    want_result: [{x: 3}]
`;
const WRONG = GOOD.replace('{x: 3}', '{x: 4}');
const UNSUPPORTED = `cases:
  - note: net/send
    query: data.fruit.apples = x
    modules: ["package fruit\\n\\napples := http.send({})"]
    want_result: [{x: 3}]
`;

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'conformance-'));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let folders = 0;

/** Writes files into a new folder and returns its path. */
function folderOf(files: Readonly<Record<string, string>>): string {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Runs the command in this process. */
function conformance(...args: string[]) {
  const { code, stdout, stderr } = runCommand(args);
  return { code, stdout: stdout.map((line) => `${line}\n`).join(''), stderr: stderr.join('\n') };
}

/** Runs the command as a process of its own and returns its exit code. */
function exitCode(...args: string[]): Promise<number> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], (error) => resolve(error === null ? 0 : Number(error.code)));
  });
}

test('the process exits with the code of the command', async () => {
  expect(await exitCode(folderOf({ 'good.yaml': GOOD }))).toBe(0);
  expect(await exitCode(folderOf({ 'wrong.yaml': WRONG }))).toBe(1);
  expect(await exitCode()).toBe(2);
});

describe('the command', () => {
  test('exits with 0 when every case passes, and counts them by class', () => {
    const json = JSON.stringify({
      cases: [{ note: 'plain', query: 'data.a = x', data: { a: [1] }, want_result: [{ x: [1] }] }],
    });
    const folder = folderOf({
      'a/one.yaml': GOOD,
      'a/b/two.yml': GOOD,
      'a/b/three.json': json,
      'notes.txt': 'no case',
    });
    const { code, stdout } = conformance(folder);
    expect(stdout).toMatch(/^class +run +passed +failed +unsupported +known$/m);
    expect(stdout).toMatch(/^fruit +2 +2 +0 +0 +0$/m);
    expect(stdout).toMatch(/^a\/b +1 +1 +0 +0 +0$/m);
    expect(stdout).toMatch(/^all +3 +3 +0 +0 +0$/m);
    expect(code).toBe(0);
  });

  test('exits with 0 on the cases of this repository', () => {
    const { code, stdout } = conformance(OWN_CASES);
    expect(stdout).toMatch(/^all +(\d+) +\1 +0 +0 +0$/m);
    expect(code).toBe(0);
  });

  test('reads lists at any indentation, aliases, and sets and objects as other suites write them', () => {
    const folder = folderOf({
      'indented.yaml': GOOD.replace('[{x: 3}]', '[\n{x: 3},\n{x: 3}\n]'),
      'aliases.yaml': `${GOOD.replace('data.fruit', '&query data.fruit')}  - {note: fruit/b, query: *query, want_result: []}\n`,
      'sets.yaml': 'cases: [{note: a, query: "{[1]: {2}}", want_result: {object!: [{key: [1], value: {set!: [2]}}]}}]',
    });
    const { code, stdout, stderr } = conformance(folder);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^all +4 +4 +0 +0 +0$/m);
    expect(code).toBe(0);
  });

  test('exits with 1 on a wrong answer, and prints what was wanted and given', () => {
    const { code, stdout } = conformance(folderOf({ 'good.yaml': GOOD, 'wrong.yaml': WRONG }));
    expect(stdout).toContain(
      'failed: wrong.yaml: fruit/apples\n  wanted: results [{"x":4}]\n  got:    results [{"x":3}]\n',
    );
    expect(stdout).toMatch(/^all +2 +1 +1 +0 +0$/m);
    expect(code).toBe(1);
  });

  test('counts an unsupported feature apart, with its name', () => {
    const { code, stdout } = conformance(folderOf({ 'good.yaml': GOOD, 'unsupported.yaml': UNSUPPORTED }));
    expect(stdout).toContain('  function http.send: 1\n');
    expect(stdout).toMatch(/^net +1 +0 +0 +1 +0$/m);
    expect(code).toBe(0);
  });

  test('exits with 1 when a case cannot be run, and runs the others', () => {
    const broken = `${GOOD}  - 7\n  - {note: a, modules: []}\n  - {note: b, query: data.x, modules: 1}\n  - {note: c, query: data.x}\n`;
    const { code, stdout } = conformance(folderOf({ 'cases.yaml': broken }));
    expect(stdout).toContain('got:    The case is no object.');
    expect(stdout).toContain('got:    The case has no text `query`.');
    expect(stdout).toContain('got:    `modules` is no list of texts.');
    expect(stdout).toContain('got:    The case has none of `want_result`, `want_error`, `want_error_code`.');
    expect(stdout).toMatch(/^all +5 +1 +4 +0 +0$/m);
    expect(code).toBe(1);
  });

  test('counts expected differences apart', () => {
    const folder = folderOf({ 'wrong.yaml': WRONG });
    const known = join(folderOf({ 'known.yaml': '"wrong.yaml: fruit/apples": apples are rare' }), 'known.yaml');
    const { code, stdout } = conformance(folder, '--known', known);
    expect(stdout).toContain('  apples are rare: 1\n');
    expect(stdout).toMatch(/^fruit +1 +0 +0 +0 +1$/m);
    expect(code).toBe(0);
  });

  test('exits with 1 when an expected difference does not show', () => {
    const known = join(folderOf({ 'known.yaml': '"good.yaml: fruit/apples": apples are rare' }), 'known.yaml');
    const { code, stdout } = conformance(folderOf({ 'good.yaml': GOOD }), '--known', known);
    expect(stdout).toContain(
      'Known differences that did not show. Remove them from the list:\n  good.yaml: fruit/apples\n',
    );
    expect(code).toBe(1);
  });
});

describe('the command exits with 2 and one sentence', () => {
  test.each<[string, () => string[], RegExp]>([
    ['without a folder', () => [], /^Give the folder of the cases\. Usage: npm run conformance -- FOLDER/],
    ['for two folders', () => ['a', 'b'], /^Give one folder, not 2\. Usage/],
    ['for an unknown option', () => ['a', '--fast'], /^Unknown option '--fast'/],
    ['for a folder that is not there', () => [join(root, 'nowhere')], /^The folder \S+nowhere does not exist\.$/],
    ['for a file', () => [join(folderOf({ 'a.yaml': GOOD }), 'a.yaml')], /a\.yaml is a file\. Give the folder/],
    ['for an empty folder', () => [folderOf({})], /^The folder \S+ holds no \.yaml, \.yml or \.json file\.$/],
    ['for a folder without a case', () => [folderOf({ 'a.yaml': 'cases: []' })], /^The files of \S+ hold no case\.$/],
    ['for a file that is no YAML', () => [folderOf({ 'a.yaml': 'cases: [}' })], /^The file a\.yaml is not YAML: /],
    ['for a file that is no JSON', () => [folderOf({ 'a.json': '{"cases": [' })], /^The file a\.json is not JSON: /],
    [
      'for a file without cases',
      () => [folderOf({ 'a.yaml': 'fruit: 3' })],
      /^The file a\.yaml has no list `cases`\.$/,
    ],
    ['for an empty file', () => [folderOf({ 'a.yaml': '' })], /^The file a\.yaml has no list `cases`\.$/],
    [
      'for known differences that are not there',
      () => [folderOf({ 'a.yaml': GOOD }), '--known', join(root, 'none.yaml')],
      /^The file \S+none\.yaml does not exist\.$/,
    ],
    [
      'for known differences that are no object',
      () => [folderOf({ 'a.yaml': GOOD }), '--known', join(folderOf({ 'k.yaml': '[1]' }), 'k.yaml')],
      /^The file \S+k\.yaml is no object of case ids and reasons\.$/,
    ],
  ])('the command exits with 2 and one sentence %s', (_what, args, sentence) => {
    const { code, stdout, stderr } = conformance(...args());
    expect(stderr).toMatch(sentence);
    expect(stderr.split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('one file among others that is no YAML makes the command run the others and then exit with 2', () => {
    const { code, stdout, stderr } = conformance(folderOf({ 'a.yaml': GOOD, 'b.yaml': 'cases: [}' }));
    expect(stderr).toMatch(/^The file b\.yaml is not YAML: /);
    expect(stdout).toMatch(/^all +1 +1 +0 +0 +0$/m);
    expect(code).toBe(2);
  });
});
