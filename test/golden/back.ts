import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '#test/run/tool.ts';
import { READER, WRITER } from './commands.ts';

/** The commit of a release. */
export interface ReleaseCommit {
  version: string;
  commit: string;
}

/** Why a release could not read what a checkout writes, in one sentence. */
export class BackError extends Error {}

const RELEASES = 'infra/release';

/**
 * Finds the newest release in the history of a repository: the commit of its tag, or the last commit that changed the folder of
 * the release. A folder with changes that no commit has is the release in preparation, and is left out.
 */
export function newestRelease(root: string): ReleaseCommit | undefined {
  const folder = join(root, RELEASES);
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name)) : [];
  const newestFirst = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const version of newestFirst) {
    const commit = commitOf(root, `refs/tags/v${version}`) ?? lastChange(root, `${RELEASES}/${version}`);
    if (commit !== undefined) return { version, commit };
  }
  return undefined;
}

/** Returns the commit that a name of git means; undefined if there is none. */
export function commitOf(root: string, name: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--quiet', '--verify', `${name}^{commit}`], { cwd: root });
  return status === 0 ? stdout.toString().trim() : undefined;
}

function lastChange(root: string, path: string): string | undefined {
  if (git(root, 'status', '--porcelain', '--', path) !== '') return undefined;
  const commit = git(root, 'log', '-1', '--format=%H', 'HEAD', '--', path);
  return commit === '' ? undefined : commit;
}

/**
 * Writes a golden table with the code of this checkout and lets the code of a release read it. Everything lies in a
 * temporary folder, which is removed at the end.
 *
 * @param written folder of a golden table of this checkout, if there is one already
 * @returns whether the release gives every answer
 * @throws BackError if the release cannot be run
 * @throws Interrupted if a signal ended the run
 */
export async function readBack(root: string, { version, commit }: ReleaseCommit, written?: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'golden-back-'));
  try {
    const golden = written ?? join(folder, 'golden');
    if (written === undefined) {
      const environment = { GOLDEN_WRITE: golden, GOLDEN_RELEASE: 'this checkout' };
      const { code } = await runTool('vitest', WRITER, 'show', { root, environment });
      if (code !== 0) throw new BackError('This checkout wrote no golden table. The output above says why');
    }
    const checkout = join(folder, 'release');
    checkOut(root, commit, checkout);
    if (!existsSync(join(checkout, READER.at(-1) ?? ''))) {
      throw new BackError(
        `Release ${version} (commit ${commit}) has no reader of golden tables. Set the tag v${version}`,
      );
    }
    await install(root, checkout);
    const environment = { GOLDEN_FOLDERS: golden, GOLDEN_MADE_BY: 'newer' };
    const { code } = await runTool('vitest', READER, 'show', { root: checkout, environment });
    return code === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Writes the files of a commit into a folder. The repository is not changed, so nothing of it has to be put back. */
export function checkOut(root: string, commit: string, folder: string): void {
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  git(root, 'archive', '--format=tar', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
}

/** Gives a checkout the packages of this checkout, or installs its own if it names others. */
export async function install(root: string, checkout: string): Promise<void> {
  if (packagesOf(root) !== packagesOf(checkout)) {
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: checkout, stdio: 'inherit' });
    if (status !== 0) throw new BackError('npm ci failed in the checkout of the release');
    return;
  }
  const [from, to] = [root, checkout].map((folder) => join(folder, 'node_modules')) as [string, string];
  mkdirSync(to);
  // What the caches hold was compiled from other sources.
  const names = readdirSync(from).filter((name) => name !== '.cache');
  // Links to files, because bundlers follow a link to a folder and then find packages outside of the project.
  const { status } = spawnSync('cp', ['-al', ...names.map((name) => join(from, name)), to], { stdio: 'ignore' });
  if (status === 0) return;
  for (const name of names) cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
}

/** The locked packages as text, without the version of this project itself. */
function packagesOf(folder: string): string {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  return JSON.stringify(
    Object.entries(lock.packages).map(([name, entry]) => [name, name === '' ? { ...entry, version: '' } : entry]),
  );
}

const git = (root: string, ...args: string[]): string => execFileSync('git', args, { cwd: root }).toString().trim();
