import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { newKey, OwnRoot } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import {
  ARTIFACT,
  bundle,
  envelope,
  fileBundle,
  ISSUER,
  SHA256,
  SUBJECT,
} from '#test/shared/signatures/sample-bundles.ts';
import { runCommand } from '#verify/command.ts';

/** `npm run verify -- bundle` (rules/verification.md#bundles). */

const own = new OwnRoot();
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fileOf = (content: string | Buffer): string => {
  files += 1;
  const path = join(folder, String(files));
  writeFileSync(path, content);
  return path;
};

const root = fileOf(JSON.stringify(own.json()));
const artifact = fileOf(ARTIFACT);
const { privateKey } = newKey();
const key = fileOf(publicPem(privateKey));
const identity = ['--certificate-identity', SUBJECT, '--certificate-oidc-issuer', ISSUER, '--trusted-root', root];

afterEach(() => vi.restoreAllMocks());

/** Runs the command in this process. @returns the exit code and what it prints */
async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
  const code = await runCommand(['bundle', ...args]);
  return { code, output: lines.join('\n') };
}

const verify = (content: unknown, ...args: string[]) =>
  run('--bundle', fileOf(typeof content === 'string' ? content : JSON.stringify(content)), ...args);

describe('npm run verify -- bundle', () => {
  test('prints grade, signer, claims, log entry and time', async () => {
    const { code, output } = await verify(bundle(own), ...identity, artifact);
    expect(code).toBe(0);
    for (const line of [
      /^grade +logged$/m,
      new RegExp(`^subject +${SUBJECT}$`, 'm'),
      new RegExp(`^issuer +${ISSUER}$`, 'm'),
      /^runner_environment +github-hosted$/m,
      /^predicate +https:\/\/slsa\.dev\/provenance\/v1$/m,
      /^log entry 1 +1 of [0-9a-f]{16}$/m,
      /^time 1 +2025-11-21T00:00:00\.000Z by a log$/m,
      /^library +@sigstore\/verify \d/m,
      /^OK$/m,
    ]) {
      expect(output).toMatch(line);
    }
  });

  test.each([
    ['a digest', `sha256:${SHA256}`],
    ['a digest without its algorithm', SHA256],
    ['a file', artifact],
  ])('takes %s for what the bundle is about', async (_, about) => {
    expect((await verify(bundle(own), ...identity, about)).code).toBe(0);
    expect((await verify(envelope(privateKey), '--key', key, about)).code).toBe(0);
  });

  test('verifies a signature over a file with the file', async () => {
    expect((await verify(fileBundle(own), ...identity, artifact)).code).toBe(0);
    const without = await verify(fileBundle(own), ...identity, SHA256);
    expect(without).toMatchObject({
      code: 1,
      output: expect.stringContaining('It can be verified only with the file'),
    });
  });

  test('asks for a log entry if a key comes with a root', async () => {
    expect((await verify(bundle(own, { key: privateKey }), '--key', key, '--trusted-root', root, SHA256)).code).toBe(0);
    const bare = await verify(envelope(privateKey), '--key', key, '--trusted-root', root, SHA256);
    expect(bare).toMatchObject({ code: 1, output: expect.stringContaining('expected 1 timestamps, got 0') });
  });

  test('verifies each bundle of a file, and names the one that is wrong', async () => {
    const [right, wrong] = [bundle(own), bundle(own, { hasPromise: false })].map((one) => JSON.stringify(one));
    const both = await verify(`${right}\n${JSON.stringify(bundle(own))}\n`, ...identity, SHA256);
    expect(both).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^1: grade +logged$[\s\S]*^2: grade +logged$/m),
    });
    const one = await verify(`${right}\n${wrong}\n`, ...identity, SHA256);
    expect(one).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^FAULT \S+: bundle 2: expected 1 timestamps/),
    });
  });

  test('takes the public root if no root is given', async () => {
    const { code, output } = await verify(bundle(own), ...identity.slice(0, 4), SHA256);
    expect({ code, output }).toMatchObject({
      code: 1,
      output: expect.stringContaining('no valid certificate path found'),
    });
  });

  test('exits with 1 for another signer and another artifact', async () => {
    const other = ['--certificate-identity', 'https://github.com/acme/evil', ...identity.slice(2)];
    expect(await verify(bundle(own), ...other, SHA256)).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        `The certificate names '${SUBJECT}' of '${ISSUER}'. It should name 'https://github.com/acme/evil'`,
      ),
    });
    expect(await verify(bundle(own), ...identity, '0'.repeat(64))).toMatchObject({
      code: 1,
      output: expect.stringContaining('No subject of the statement has the SHA-256 000'),
    });
  });

  const short = fileOf(publicPem(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey));
  test.each<[string, string[], string]>([
    ['nothing is named', [...identity], 'Name one thing that the bundle is about'],
    ['two things are named', [...identity, SHA256, artifact], 'Name one thing that the bundle is about'],
    ['nobody should have signed', ['--trusted-root', root, SHA256], 'Say who should have signed'],
    ['only the issuer is known', ['--certificate-oidc-issuer', ISSUER, SHA256], 'Say who should have signed'],
    ['a key and an identity should have signed', [...identity, '--key', key, SHA256], '--key cannot be used with'],
    ['the file is not there', [...identity, 'nowhere'], 'nowhere cannot be read'],
    ['the root cannot be used', [...identity.slice(0, 4), '--trusted-root', key, SHA256], 'The trust root is not JSON'],
    ['the key cannot be used', ['--key', short, SHA256], 'The key is of another kind'],
    ['an option is unknown', ['--log-key', 'x', SHA256], "Unknown option '--log-key'"],
  ])('exits with 2 if %s', async (_, args, sentence) => {
    const { code, output } = await verify(bundle(own), ...args);
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining(sentence) });
  });

  test('exits with 2 if the bundle is not named', async () => {
    expect(await run(...identity, SHA256)).toMatchObject({
      code: 2,
      output: expect.stringContaining('--bundle is missing'),
    });
  });
});
