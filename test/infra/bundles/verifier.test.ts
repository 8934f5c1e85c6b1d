import { execFile, execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#infra/bundles/compiled.ts';
import { buildVerifier, bundleVerifier, VERIFIER } from '#infra/bundles/verifier.ts';
import { STATEMENT_KEY, sampleExport } from '#test/verify/sample-export.ts';
import { log } from '#test/verify/sample-log.ts';
import { temporaryFolder } from '../synthesized.ts';

/** The verifier as one file (rules/verification.md#one-file). */

const run = promisify(execFile);
const folder = temporaryFolder('verifier-');
const exported = join(folder, 'acme');
const keyFile = join(folder, 'statements.pem');
/** A bundle of a published package, who signed it, and what it is about. */
const PUBLISHED = join(ROOT, 'test/shared/signatures/published.sigstore.json');
const PUBLISHER = 'https://github.com/trailofbits/pypi-attestations/.github/workflows/release.yml@refs/tags/v0.0.19';
const PUBLISHED_SHA256 = '9bb1add04b1b4e182be6b0b80931593f7a291eb49d69b4fd728a5d4cbcdc4bd3';
const MODULES_OF_NODE = /import\s*(?:\{([^}]*)\}|[^;{]*?)\s*from\s*["']((?:node:)?[\w/]+)["']/g;

let file: string;
beforeAll(async () => {
  const { files } = await sampleExport();
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(exported, path)), { recursive: true });
    writeFileSync(join(exported, path), bytes);
  }
  writeFileSync(keyFile, STATEMENT_KEY);
  // The file stands alone: no package and no source is beside it.
  file = join(folder, VERIFIER);
  cpSync(join(await buildVerifier(), VERIFIER), file);
}, 60_000);

/** Runs a verifier over the sample. @returns what it prints, without the time that it took */
const verified = async (node: string, before: readonly string[], program: string) => {
  const options = ['--log-key', log.verifierKey, '--statement-key', keyFile];
  const { stdout, stderr, code } = await run(node, [...before, program, exported, ...options], { cwd: folder }).then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { code, stderr, stdout: stdout.replace(/^seconds .*$/m, '') };
};

/** The Node 20 of this machine, if there is one on the search path. */
function findNode20(): string | undefined {
  const nodes = execFileSync('which', ['-a', 'node']).toString().trim().split('\n');
  return nodes.find((node) => execFileSync(node, ['--version']).toString().startsWith('v20.'));
}

describe('the verifier as one file', () => {
  test('prints what the sources print', async () => {
    const expected = await verified(execPath, [], join(ROOT, 'verify/main.ts'));
    expect(expected.stdout).toMatch(/\nOK/);
    expect(await verified(execPath, [], file)).toEqual(expected);
  });

  test('runs without everything that Node 20 does not have', async () => {
    const asNode20 = join(ROOT, 'test/infra/bundles/as-node-20.mjs');
    const missing = "try { Map.groupBy([], String); console.log('there'); } catch { console.log('not there'); }";
    expect((await run(execPath, ['--import', asNode20, '-e', missing])).stdout).toBe('not there\n');
    const right = await verified(execPath, [], file);
    expect(await verified(execPath, ['--import', asNode20], file)).toEqual(right);
  });

  test('imports nothing but modules of Node 20, and nothing from them that they do not have', () => {
    const list = readFileSync(join(ROOT, 'test/infra/bundles/builtins-of-node-20.txt'), 'utf8');
    const known = new Map(list.split('\n').map((line) => line.split(': ') as [string, string]));
    const imports = [...readFileSync(file, 'utf8').matchAll(MODULES_OF_NODE)];
    expect(imports.length).toBeGreaterThan(5);
    for (const [, names = '', module = ''] of imports) {
      const exports = known.get(`node:${module.replace('node:', '')}`)?.split(' ') ?? [];
      const imported = names.split(',').map((name) => name.trim().split(' as ')[0] ?? '');
      expect(exports, module).toEqual(expect.arrayContaining(imported.filter((name) => name !== '')));
      expect(exports.length, module).toBeGreaterThan(0);
    }
  });

  const node20 = findNode20();
  test.runIf(node20)('runs with the Node 20 of this machine', async () => {
    const right = await verified(execPath, [], file);
    expect(await verified(node20 ?? '', [], file)).toEqual(right);
  });

  test('verifies a bundle of others, also without everything that Node 20 does not have', async () => {
    const bundle = ['bundle', '--bundle', PUBLISHED, '--certificate-identity', PUBLISHER, '--certificate-oidc-issuer'];
    const args = [...bundle, 'https://token.actions.githubusercontent.com', PUBLISHED_SHA256];
    const asNode20 = join(ROOT, 'test/infra/bundles/as-node-20.mjs');
    for (const node of [[execPath], [execPath, '--import', asNode20], ...(node20 ? [[node20]] : [])]) {
      const [program = '', ...before] = node;
      const { stdout } = await run(program, [...before, file, ...args], { cwd: folder });
      expect(stdout, node.join(' ')).toMatch(/^grade +logged\n[\s\S]*\nOK\n$/);
    }
  });

  test('names itself in its usage', async () => {
    const { stdout } = await run(execPath, [file, '--help'], { cwd: folder });
    expect(stdout).toMatch(/^Usage: node verify\.mjs /);
  });

  test('has at most 570 KB, its version, and the licences of the libraries in it', async () => {
    const { packages } = await bundleVerifier();
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBeLessThanOrEqual(570_000);
    const described = (path: string) =>
      JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as { name: string; version: string };
    expect(text.split('\n')[0]).toContain(`version ${described('.').version}.`);
    expect(packages).toContain('node_modules/zod');
    const lines = text.split('\n');
    for (const one of packages) expect(lines).toContain(`${described(one).name} ${described(one).version}`);
  });

  test('lies beside its SHA-256', async () => {
    const sum = readFileSync(join(await buildVerifier(), `${VERIFIER}.sha256`), 'utf8');
    expect(sum).toBe(`${hash('sha256', readFileSync(file))}  ${VERIFIER}\n`);
  });
});

/** Copies what the file is made of to another place, and builds it there. The copies have other times. */
async function buildAt(place: string, packages: readonly string[]): Promise<Buffer> {
  for (const part of ['verify', 'shared', 'infra/bundles', 'package.json', 'package-lock.json', ...packages]) {
    cpSync(join(ROOT, part), join(place, part), { recursive: true });
  }
  for (const tool of ['esbuild', '@esbuild']) {
    symlinkSync(join(ROOT, 'node_modules', tool), join(place, 'node_modules', tool));
  }
  const script = "console.log(await (await import('./infra/bundles/verifier.ts')).buildVerifier())";
  const { stdout } = await run(execPath, ['--input-type=module', '-e', script], { cwd: place });
  expect(stdout.trim()).toBe(join(place, 'dist/verifier'));
  return readFileSync(join(place, 'dist/verifier', VERIFIER));
}

test('two builds in two folders give the same bytes', async () => {
  const { packages } = await bundleVerifier();
  const [first, second] = await Promise.all([
    buildAt(join(folder, 'a'), packages),
    buildAt(join(folder, 'another place', 'with a longer path'), packages),
  ]);
  expect(hash('sha256', second)).toBe(hash('sha256', first));
  expect(hash('sha256', readFileSync(file))).toBe(hash('sha256', first));
}, 60_000);
