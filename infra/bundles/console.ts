import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { compiled, ROOT } from './compiled.ts';
import { noticesFile } from './notices.ts';
import { packed } from './packed.ts';

const run = promisify(execFile);
const BUILDER = join(ROOT, 'node_modules/vite/bin/vite.js');
const CONFIG = 'infra/bundles/vite.config.ts';

/** What the build reads: its own code, what server and browser share, and the versions of libraries. */
const SOURCES = [
  ...['console', 'shared/console', 'shared/base', 'package-lock.json'],
  ...[
    CONFIG,
    'infra/bundles/chunks.ts',
    'infra/bundles/console.ts',
    'infra/bundles/compiled.ts',
    'infra/bundles/packed.ts',
  ],
  ...['infra/bundles/notices.ts', 'infra/bundles/licenses.ts', 'infra/bundles/licenses'],
];

let building: Promise<string> | undefined;

/**
 * Compiles the console, unless the folder holds what the present sources compile to (rules/web-console.md#build).
 *
 * @returns the folder: `index.html`, `LICENSES.md`, and `assets` with each file as it is, as `.br` and as `.gz`
 */
export function buildConsole(): Promise<string> {
  building ??= compiled({ name: 'console', sources: SOURCES, compile: build });
  return building;
}

async function build(folder: string): Promise<void> {
  // A process of its own, because the builder takes its mode from NODE_ENV, which tests set to another value.
  const options = ['--config', join(ROOT, CONFIG), '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  const { stderr } = await run(process.execPath, [BUILDER, 'build', ...options], {
    cwd: ROOT,
    env: { ...env, NODE_ENV: 'production' },
  });
  if (stderr !== '') process.stderr.write(stderr);
  const notices = noticesFile();
  writeFileSync(join(folder, 'assets', notices.name), notices.bytes);
  packAssets(join(folder, 'assets'));
}

/** Compresses each file once, so that no request has to. */
function packAssets(folder: string): void {
  for (const name of readdirSync(folder)) {
    for (const file of packed(name, readFileSync(join(folder, name))))
      writeFileSync(join(folder, file.name), file.bytes);
  }
}
