import { spawnSync } from 'node:child_process';
import { env } from 'node:process';
import { ROOT } from '../bundles/compiled.ts';
import { packageVersion } from '../bundles/package-version.ts';

/** The settings of functions that say which release they run (rules/requests.md#version). */
interface ReleaseSettings extends Record<string, string> {
  SERVICE_VERSION: string;
  SOURCE_COMMIT: string;
}

let known: ReleaseSettings | undefined;

/** Returns the release of these sources. It asks Git once in a process, because each function of each stack has the settings. */
export function releaseSettings(): ReleaseSettings {
  known ??= { SERVICE_VERSION: packageVersion(), SOURCE_COMMIT: sourceCommit() };
  return known;
}

/**
 * Returns the commit of the sources, with `-modified` behind it if files differ from the commit. A build without a history of
 * Git states the commit as `SOURCE_COMMIT`; otherwise it is `unknown`.
 *
 * @param root folder of the sources; a history that begins above it is that of something else
 */
export function sourceCommit(root: string = ROOT, environment: NodeJS.ProcessEnv = env): string {
  const stated = environment['SOURCE_COMMIT'];
  if (stated !== undefined && stated !== '') return stated;
  // Without `--show-prefix`, a commit of a repository around the folder would be taken for the commit of the sources.
  const [prefix, commit] = git(root, ['rev-parse', '--show-prefix', 'HEAD'])?.split('\n') ?? [];
  if (prefix !== '' || commit === undefined) return 'unknown';
  return git(root, ['status', '--porcelain']) === '' ? commit : `${commit}-modified`;
}

/** @returns undefined if there is no Git, or no history that Git reads */
function git(cwd: string, options: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', options, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
