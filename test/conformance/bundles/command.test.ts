import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, OwnRoot } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import { ARTIFACT, bundle, envelope, fileBundle, ISSUER, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { runCommand } from './command.ts';

/** `npm run conformance:bundles` on cases that are made here. */

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));
const DEFAULTS = ['--identity', SUBJECT, '--issuer', ISSUER];
const own = new OwnRoot();
const { privateKey } = newKey();

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'bundles-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
function folderOf(files: Readonly<Record<string, unknown>>): string {
  folders += 1;
  const folder = join(base, String(folders));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** The files of a case with the own root. */
const caseOf = (name: string, content: unknown, files: Readonly<Record<string, unknown>> = {}) => ({
  [`${name}/bundle.sigstore.json`]: content,
  [`${name}/trusted_root.json`]: own.json(),
  ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])),
});

const conformance = (...args: string[]) => {
  const { code, stdout, stderr } = runCommand(args);
  return { code, stdout: stdout.join('\n'), stderr: stderr.join('\n') };
};

describe('the command for bundles', () => {
  const [tlog] = own.json()['tlogs'] as [{ publicKey: object }];
  const timeless = own.json({ tlogs: [{ ...tlog, publicKey: { ...tlog.publicKey, validFor: {} } }] });
  const cases = () => ({
    'a.txt': ARTIFACT.toString(),
    ...caseOf('right', bundle(own)),
    ...caseOf('file', fileBundle(own)),
    ...caseOf('other-artifact_fail', bundle(own), { artifact: 'another' }),
    ...caseOf('other-identity_fail', bundle(own), { identity: 'https://github.com/acme/evil\n' }),
    ...caseOf('own-identity', bundle(own, { identity: { san: { email: 'a@acme.example' } } }), {
      identity: 'a@acme.example\n',
      issuer: ISSUER,
    }),
    ...caseOf('key', bundle(own, { key: privateKey }), { 'key.pub': publicPem(privateKey) }),
    ...caseOf('key-without-log_fail', envelope(privateKey), { 'key.pub': publicPem(privateKey) }),
    ...caseOf('certificate-for-key_fail', bundle(own), { 'key.pub': publicPem(privateKey) }),
    ...caseOf('log-without-start_fail', bundle(own), { 'trusted_root.json': timeless }),
    ...caseOf('inner/no-bundle_fail', '{"a":'),
    'public-root_fail/bundle.sigstore.json': bundle(own),
  });

  test('counts the cases that are right', () => {
    const { code, stdout, stderr } = conformance(folderOf(cases()), ...DEFAULTS, '--refusals');
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(-4)).toEqual([
      'run            11',
      'right          11',
      'wrong           0',
      'must fail       7',
    ]);
    expect(stdout).toContain('refused: inner/no-bundle_fail: The bundle is not JSON');
    expect(stdout).toContain(
      "refused: log-without-start_fail: The key of the log 'https://log.example' in the trust root does not say",
    );
    expect(code).toBe(0);
  });

  test('prints the cases that are wrong, and exits with 1', () => {
    const files = {
      'a.txt': ARTIFACT.toString(),
      ...caseOf('a_fail', bundle(own)),
      ...caseOf('b', bundle(own, { hasPromise: false })),
    };
    const { code, stdout } = conformance(folderOf(files), ...DEFAULTS);
    expect(stdout).toContain('wrong: a_fail\n  wanted: a refusal\n  got:    a verified bundle\n');
    expect(stdout).toContain('wrong: b\n  wanted: a verified bundle\n  got:    expected 1 timestamps, got 0\n');
    expect(code).toBe(1);
  });

  test('leaves the artifact to the statement if no file is there', () => {
    expect(conformance(folderOf(caseOf('right', bundle(own))), ...DEFAULTS).code).toBe(0);
  });

  test.each<[string, () => string[], RegExp]>([
    ['no folder is given', () => [], /^Give the folder of the cases\. Usage: npm run conformance:bundles/],
    ['two folders are given', () => ['a', 'b'], /^Give one folder, not 2\. Usage/],
    ['an option is unknown', () => ['a', '--fast'], /^Unknown option '--fast'/],
    ['the folder is not there', () => [join(base, 'nowhere')], /nowhere does not exist\.$/],
    [
      'the folder is a file',
      () => [join(folderOf({ a: 'b' }), 'a')],
      /is a file\. Give the folder that holds the cases\.$/,
    ],
    ['the folder holds no case', () => [folderOf({ a: 'b' })], /holds no bundle\.sigstore\.json\.$/],
    [
      'nobody should have signed',
      () => [folderOf(caseOf('a', bundle(own)))],
      /does not say who should have signed\. Give --identity and --issuer\.$/,
    ],
  ])('exits with 2 if %s', (_, args, sentence) => {
    const { code, stdout, stderr } = conformance(...args());
    expect(stderr).toMatch(sentence);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('ends its process with the code of the command', async () => {
    const exitCode = (...args: string[]): Promise<number> =>
      new Promise((resolve) => {
        execFile(process.execPath, [PROGRAM, ...args], (error) => resolve(error === null ? 0 : Number(error.code)));
      });
    expect(await exitCode(folderOf(caseOf('right', bundle(own))), ...DEFAULTS)).toBe(0);
    expect(await exitCode()).toBe(2);
  });
});
