import { spawnSync } from 'node:child_process';
import { ROOT } from '../bundles/compiled.ts';
import type { Check } from './prepare.ts';

/** Lines of the output of a failed command that a refusal shows. */
const SHOWN_LINES = 20;

/** A check that runs a command of this checkout. It fails if the command does not end with 0. */
export const commandCheck = (name: string, command: string, options: readonly string[], cwd: string = ROOT): Check => ({
  name,
  run: () => {
    const { status, stdout, stderr, error } = spawnSync(command, options, { cwd, encoding: 'utf8' });
    if (status === 0) return [];
    const output = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
    return [`${[command, ...options].join(' ')} failed: ${error?.message ?? output}`];
  },
});

/** What has to pass before a release is written, in this order. */
export const CHECKS: readonly Check[] = [commandCheck('types and lint', 'npm', ['run', '--silent', 'check'])];

/** The name of the step about golden tables. */
export const GOLDEN_TABLES = 'golden tables';

/**
 * A check that reads the golden tables of all releases, writes the one of a new release, and lets the newest release read it
 * (docs/data-format.md#golden-tables).
 *
 * @param folder where the golden table of the new release is written
 */
export const goldenCheck = (version: string, folder: string, cwd: string = ROOT): Check =>
  commandCheck(GOLDEN_TABLES, 'npm', ['run', '--silent', 'golden', '--', 'release', version, folder], cwd);
