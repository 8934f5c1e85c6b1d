import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Interrupted, ROOT, runTool, stopOnSignal } from '#test/run/tool.ts';
import { BackError, commitOf, newestRelease, type ReleaseCommit, readBack } from './back.ts';
import { READER, WRITER } from './commands.ts';
import { FOLDER } from './golden-file.ts';

/**
 * `npm run golden -- write 1.1.0` writes the golden table of a release with the code of this checkout.
 * `npm run golden -- release 1.1.0 FOLDER` does everything that a release needs: it writes its golden table into a folder, reads those of
 * all releases, and lets the newest release read what it wrote.
 * `npm run golden -- read [FOLDER]…` asks every read of golden tables again; without folders, of all releases.
 * `npm run golden -- back [FOLDER]` lets the code of the newest release, or of `--commit COMMIT`, read what this checkout writes. Without
 * a folder with a golden table of this checkout it writes one first.
 * docs/data-format.md says what for.
 */
const USAGE =
  'npm run golden -- write VERSION | release VERSION FOLDER | read [FOLDER]… | back [FOLDER] [--commit COMMIT]';

class UsageError extends Error {}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { commit: { type: 'string' } } });
  const [command, ...args] = positionals;
  if (command === 'back' && args.length <= 1) return back(args[0], values.commit);
  if (values.commit === undefined) {
    if (command === 'write' && args.length === 1) return write(String(args[0]));
    if (command === 'release' && args.length === 2) return release(String(args[0]), String(args[1]));
    if (command === 'read') return read(args);
  }
  throw new UsageError(`Usage: ${USAGE}`);
}

async function write(version: string, folder = join(ROOT, 'infra/release', version, FOLDER)): Promise<number> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    throw new UsageError(`'${version}' is no version such as 1.2.0. Usage: ${USAGE}`);
  }
  const environment = { GOLDEN_WRITE: resolve(folder), GOLDEN_RELEASE: version };
  return (await runTool('vitest', WRITER, 'show', { environment })).code;
}

async function release(version: string, folder: string): Promise<number> {
  const steps = [() => write(version, folder), () => read([]), () => back(folder, undefined)];
  for (const step of steps) {
    const code = await step();
    if (code !== 0) return code;
  }
  return 0;
}

async function read(folders: readonly string[]): Promise<number> {
  const named = folders.map((folder) => resolve(folder)).join(delimiter);
  const environment: Record<string, string> = folders.length === 0 ? {} : { GOLDEN_FOLDERS: named };
  return (await runTool('vitest', READER, 'show', { environment })).code;
}

async function back(written: string | undefined, named: string | undefined): Promise<number> {
  const release = named === undefined ? newestRelease(ROOT) : namedCommit(named);
  if (release === undefined) {
    console.log('The history has no release yet, so no older code has to read what this checkout writes.');
    return 0;
  }
  const isRead = await readBack(ROOT, release, written === undefined ? undefined : resolve(written));
  const { version, commit } = release;
  console.log(`Release ${version} (commit ${commit}) ${isRead ? 'reads' : 'does not read'} what this checkout writes.`);
  return isRead ? 0 : 1;
}

function namedCommit(name: string): ReleaseCommit {
  const commit = commitOf(ROOT, name);
  if (commit === undefined) throw new UsageError(`There is no commit '${name}'. Usage: ${USAGE}`);
  return { version: name, commit };
}

/** Exit codes of errors that need no stack. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof Interrupted) return 130;
  if (error instanceof BackError) return 1;
  const isOfOptions = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return error instanceof UsageError || isOfOptions ? 2 : undefined;
}

stopOnSignal();
try {
  process.exitCode = await main();
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined || !(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = code;
}
