import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

const run = promisify(execFile);
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BUILDER = join(ROOT, 'node_modules/vite/bin/vite.js');
const CONFIG = join(ROOT, 'functions/console/vite.config.ts');

/** The compiled console. Git ignores the folder. */
const COMPILED = join(ROOT, 'dist/console');

/** What the build reads: its own code, what server and browser share, and the versions of libraries. */
const SOURCES = ['functions/console/app', 'shared/console', 'shared/base', 'package-lock.json'];
const BUILD_CODE = [CONFIG, fileURLToPath(import.meta.url)];

/** File with the hash of the sources that the folder was compiled from. */
const STAMP = 'sources.sha256';

let building: Promise<string> | undefined;

/**
 * Compiles the console, unless the folder holds what the present sources compile to (rules/web-console.md#build).
 *
 * @returns the folder: `index.html`, `LICENSES.md`, and `assets` with each file as it is, as `.br` and as `.gz`
 */
export function buildConsole(): Promise<string> {
  building ??= buildIfChanged();
  return building;
}

async function buildIfChanged(): Promise<string> {
  const stamp = stampOf();
  if (storedStamp() === stamp) return COMPILED;
  mkdirSync(dirname(COMPILED), { recursive: true });
  const folder = mkdtempSync(`${COMPILED}-`);
  try {
    // A process of its own, because the builder takes its mode from NODE_ENV, which tests set to another value.
    const options = ['--config', CONFIG, '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
    const { stderr } = await run(process.execPath, [BUILDER, 'build', ...options], {
      cwd: ROOT,
      env: { ...env, NODE_ENV: 'production' },
    });
    if (stderr !== '') process.stderr.write(stderr);
    packAssets(join(folder, 'assets'));
    writeFileSync(join(folder, STAMP), stamp);
    replaceCompiled(folder, stamp);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return COMPILED;
}

/** Puts the folder in the place of the former one. Other processes can do the same with the same files at the same time. */
function replaceCompiled(folder: string, stamp: string): void {
  while (storedStamp() !== stamp) {
    rmSync(COMPILED, { recursive: true, force: true });
    try {
      renameSync(folder, COMPILED);
    } catch (error) {
      if (!OTHER_WAS_FIRST.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Codes of a rename to a folder that another process has put there meanwhile. */
const OTHER_WAS_FIRST = new Set(['ENOTEMPTY', 'EEXIST']);

/** Returns a hash over the names and the contents of all sources. */
function stampOf(): string {
  const hash = createHash('sha256');
  for (const file of [...SOURCES.flatMap((source) => filesOf(join(ROOT, source))), ...BUILD_CODE]) {
    const bytes = readFileSync(file);
    hash.update(`${file.slice(ROOT.length)}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`The console cannot be compiled without ${path}`);
  if (path.endsWith('.json')) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function storedStamp(): string | undefined {
  const file = join(COMPILED, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Compresses each file once, so that no request has to. */
function packAssets(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const params = {
      [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY,
      [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }));
  }
}
